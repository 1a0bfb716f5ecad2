/*
 * What makes the SVG a tool: zoom, search, breadcrumbs, keys, and all of it in the URL. Without this
 * script the picture and its titles still say everything.
 *
 * Frames are read once into plain arrays; each action computes new places there and touches only the
 * elements that are or become visible. Letters have one width, so nothing is ever measured.
 */
(function () {
  'use strict';
  var LETTER = 7.225, MARGIN = 3, THIN = 0.3;
  var svg = document.documentElement, ns = 'http://www.w3.org/2000/svg';
  var left = +svg.getAttribute('data-left'), span = +svg.getAttribute('data-span');
  var list = svg.getElementsByClassName('frame'), n = list.length;
  var x = new Float64Array(n), w = new Float64Array(n), row = new Int32Array(n);
  var g = new Array(n), box = new Array(n), label = new Array(n), name = new Array(n), title = new Array(n);
  var shown = new Uint8Array(n).fill(1), hit = new Uint8Array(n), hits = [];
  var zoom = 0, chosen = 0, pattern = '', fold = false;
  var info = pick('info'), matched = pick('matched'), crumbs = pick('crumbs'), reset = pick('reset');
  var find = pick('find'), input = find.querySelector('input');

  function pick(id) { return document.getElementById(id); }

  function read() {
    for (var i = 0; i < n; i++) {
      var f = list[i], r = f.getElementsByTagName('rect')[0];
      g[i] = f;
      box[i] = r;
      label[i] = f.getElementsByTagName('text')[0] || null;
      x[i] = +r.getAttribute('x') - left;
      w[i] = +r.getAttribute('width');
      row[i] = +f.getAttribute('data-row');
      title[i] = f.getElementsByTagName('title')[0].textContent;
      var first = title[i].split('\n')[0];
      name[i] = first.slice(0, first.lastIndexOf(' ('));
    }
  }

  function inside(i, j) { return x[i] >= x[j] - 1e-6 && x[i] + w[i] <= x[j] + w[j] + 1e-6; }

  /* The frames below i, from the whole to its parent. */
  function path(i) {
    var up = [];
    for (var j = 0; j < n; j++)
      if (row[j] < row[i] && inside(i, j)) up.push(j);
    return up.sort(function (a, b) { return row[a] - row[b]; });
  }

  function write(i, at, width) {
    var letters = Math.floor((width - 2 * MARGIN) / LETTER), text = name[i];
    if (!label[i]) {
      if (letters < 3) return;
      label[i] = document.createElementNS(ns, 'text');
      label[i].setAttribute('y', +box[i].getAttribute('y') + 11.5);
      g[i].appendChild(label[i]);
    }
    if (letters < 3) text = '';
    else if (text.length > letters) text = text.slice(0, letters - 2) + '..';
    label[i].textContent = text;
    label[i].setAttribute('x', (left + at + MARGIN).toFixed(2));
  }

  function draw() {
    var from = x[zoom], scale = span / (w[zoom] || 1), to = from + w[zoom];
    for (var i = 0; i < n; i++) {
      var above = row[i] < row[zoom] && inside(zoom, i);
      var at = above ? 0 : (x[i] - from) * scale, width = above ? span : w[i] * scale;
      var visible = above || (row[i] >= row[zoom] && x[i] >= from - 1e-6 && x[i] + w[i] <= to + 1e-6 && width >= THIN);
      if (visible) {
        box[i].setAttribute('x', (left + at).toFixed(3));
        box[i].setAttribute('width', width.toFixed(3));
        write(i, at, width);
      }
      if (shown[i] !== +visible) {
        g[i].style.display = visible ? '' : 'none';
        shown[i] = +visible;
      }
      g[i].classList.toggle('above', above);
    }
    reset.classList.toggle('off', zoom === 0);
    trail();
    count();
    remember();
  }

  /* Breadcrumbs: where the zoom stands. */
  function trail() {
    crumbs.textContent = '';
    if (zoom === 0) return;
    path(zoom).concat(zoom).slice(-6).forEach(function (i, k) {
      var part = document.createElementNS(ns, 'tspan'), text = name[i];
      part.setAttribute('class', 'crumb');
      part.textContent = (k ? ' \u203a ' : '') + (text.length > 28 ? text.slice(0, 26) + '..' : text);
      part.addEventListener('click', function () { go(i); });
      crumbs.appendChild(part);
    });
  }

  function go(i) {
    zoom = i;
    choose(i);
    draw();
  }

  function choose(i) {
    g[chosen].classList.remove('chosen');
    chosen = i;
    g[i].classList.add('chosen');
    tell(i);
  }

  function tell(i) {
    var part = zoom && w[zoom] ? ', ' + (100 * w[i] / w[zoom]).toFixed(2) + '% of the zoom' : '';
    info.textContent = title[i].replace(/\n/g, ', ') + part;
  }

  /* ---- search ---- */

  function search(text) {
    var test = null;
    pattern = text;
    if (text) {
      try {
        test = new RegExp(text, fold ? 'i' : '');
      } catch (e) {
        test = { test: function (s) { return (fold ? s.toLowerCase() : s).indexOf(fold ? text.toLowerCase() : text) >= 0; } };
      }
    }
    hits = [];
    for (var i = 0; i < n; i++) {
      var now = test !== null && i > 0 && test.test(name[i]);
      if (hit[i] !== +now) g[i].classList.toggle('match', now);
      hit[i] = +now;
      if (now) hits.push(i);
    }
    hits.sort(function (a, b) { return x[a] - x[b] || w[b] - w[a] || row[a] - row[b]; });
    count();
    remember();
  }

  /* The part of the whole and of the zoom that is covered by matches, nested ones once. */
  function count() {
    if (!pattern) {
      matched.textContent = '';
      return;
    }
    var all = 0, part = 0, end = -1, from = x[zoom], to = from + w[zoom];
    hits.forEach(function (i) {
      if (x[i] < end - 1e-6) return;
      end = x[i] + w[i];
      all += w[i];
      if (x[i] < to && end > from) part += Math.min(end, to) - Math.max(x[i], from);
    });
    matched.textContent = hits.length + ' matched: ' + (100 * all / (w[0] || 1)).toFixed(2) + '%' +
      (zoom ? ', ' + (100 * part / (w[zoom] || 1)).toFixed(2) + '% of the zoom' : '') + (fold ? ' (any case)' : '');
  }

  function ask() {
    find.classList.remove('off');
    input.value = pattern;
    input.focus();
    input.select();
  }

  function step(by) {
    if (!hits.length) return;
    var at = hits.indexOf(chosen);
    at = at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length;
    choose(hits[at]);
    if (!shown[chosen]) go(chosen);
  }

  /* ---- the URL ---- */

  function remember() {
    var parts = [];
    if (zoom) parts.push('z=' + zoom);
    if (pattern) parts.push('s=' + encodeURIComponent(pattern));
    if (fold) parts.push('i=1');
    try { history.replaceState(null, '', parts.length ? '#' + parts.join('&') : location.pathname + location.search); } catch (e) { /* not in a page of its own */ }
  }

  function recall() {
    var found = {};
    location.hash.slice(1).split('&').forEach(function (part) {
      var at = part.indexOf('=');
      if (at > 0) try { found[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch (e) { /* not ours */ }
    });
    fold = found.i === '1';
    if (found.s) search(found.s);
    var z = parseInt(found.z, 10);
    if (z > 0 && z < n && !g[z].classList.contains('more')) go(z);
  }

  /* ---- keys ---- */

  function near(key) {
    var best = -1, i, up = svg.getAttribute('data-up') === '1';
    var climb = key === (up ? 'ArrowUp' : 'ArrowDown');
    for (i = 0; i < n; i++) {
      if (!shown[i] || i === chosen) continue;
      if (key === 'ArrowLeft' || key === 'ArrowRight') {
        if (row[i] !== row[chosen] || (key === 'ArrowLeft') !== (x[i] < x[chosen])) continue;
        if (best < 0 || Math.abs(x[i] - x[chosen]) < Math.abs(x[best] - x[chosen])) best = i;
      } else if (climb) {
        if (row[i] === row[chosen] + 1 && inside(i, chosen) && (best < 0 || w[i] > w[best])) best = i;
      } else if (row[i] === row[chosen] - 1 && inside(chosen, i)) {
        best = i;
      }
    }
    if (best >= 0) choose(best);
  }

  function key(e) {
    if (e.target === input) {
      if (e.key === 'Escape') { search(''); find.classList.add('off'); input.blur(); }
      if (e.key === 'Enter') { find.classList.add('off'); input.blur(); step(1); }
      return;
    }
    if ((e.ctrlKey || e.metaKey) && e.key === 'f' || e.key === '/' || e.key === 'F3') { e.preventDefault(); ask(); }
    else if (e.ctrlKey || e.metaKey || e.altKey) return;
    else if (e.key === 'Escape') { if (pattern) search(''); else go(0); }
    else if (e.key === 'Enter' && !g[chosen].classList.contains('more')) go(chosen);
    else if (e.key === 'Backspace') { e.preventDefault(); var up = path(zoom); go(up.length ? up[up.length - 1] : 0); }
    else if (e.key === 'n') step(1);
    else if (e.key === 'N') step(-1);
    else if (e.key === 'i') { fold = !fold; search(pattern); }
    else if (e.key === 'c' && navigator.clipboard) navigator.clipboard.writeText(name[chosen]);
    else if (e.key.slice(0, 5) === 'Arrow') { e.preventDefault(); near(e.key); }
  }

  function frameOf(target) {
    var f = target.closest ? target.closest('.frame') : null;
    return f ? g.indexOf(f) : -1;
  }

  read();
  svg.classList.add('live');
  svg.addEventListener('click', function (e) {
    var i = frameOf(e.target);
    if (i >= 0 && !g[i].classList.contains('more')) go(i);
    else if (i >= 0) choose(i);
  });
  svg.addEventListener('mouseover', function (e) { var i = frameOf(e.target); if (i >= 0) tell(i); });
  reset.addEventListener('click', function () { go(0); });
  pick('search').addEventListener('click', ask);
  input.addEventListener('input', function () { search(input.value); });
  window.addEventListener('keydown', key);
  window.addEventListener('hashchange', recall);
  choose(0);
  info.textContent = title[0];
  recall();
}());
