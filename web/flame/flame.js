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
  var left = +svg.getAttribute('data-left'), span = +svg.getAttribute('data-span'), up = svg.getAttribute('data-up') === '1';
  var list = svg.getElementsByClassName('frame'), n = list.length, index = new Map();
  var x = new Float64Array(n), w = new Float64Array(n), row = new Int32Array(n);
  var g = new Array(n), box = new Array(n), label = new Array(n), name = new Array(n), title = new Array(n), first = new Array(n);
  var shown = new Uint8Array(n).fill(1), dim = new Uint8Array(n), moved = new Uint8Array(n), hit = new Uint8Array(n), hits = [];
  var zoom = 0, chosen = 0, pattern = '', cased = false, plain = false, total = false;
  var info = pick('info'), matched = pick('matched'), crumbs = pick('crumbs'), reset = pick('reset'), keys = null;
  var find = pick('find'), input = find.querySelector('input'), caseButton = pick('case'), plainButton = pick('plain'), change = pick('change');

  var KEYS = [['click, Enter', 'zoom to a frame'], ['Backspace', 'zoom out by one frame'], ['Escape', 'end the search, then the zoom'],
    ['arrows', 'move from frame to frame'], ['/ or Ctrl+F', 'search'], ['n, N', 'next match, previous match'], ['i', 'mind upper and lower case, or not'],
    ['p', 'search for plain text, or a regular expression'], ['c, C', 'copy the name, copy the stack'], ['d', 'dark or light']];

  function pick(id) { return document.getElementById(id); }

  function make(tag, parent, attributes, text) {
    var e = document.createElementNS(ns, tag);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    if (text) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  function read() {
    for (var i = 0; i < n; i++) {
      var f = list[i], t = f.firstElementChild, r = t.nextElementSibling;
      g[i] = f;
      box[i] = r;
      label[i] = r.nextElementSibling;
      first[i] = label[i] ? label[i].textContent : '';
      x[i] = +r.getAttribute('x') - left;
      w[i] = +r.getAttribute('width');
      row[i] = +f.getAttribute('data-row');
      title[i] = t.textContent;
      var line = title[i].split('\nbefore ')[0];
      name[i] = line.slice(0, line.lastIndexOf(' ('));
      index.set(f, i);
    }
  }

  /* What would swap or hide text is spelled out, and long names end somewhere. */
  function plainText(text, most) {
    if (text.length > most) text = text.slice(0, most - 2) + '..';
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, function (c) {
      return c === '\n' ? ' ' : '\\u{' + c.charCodeAt(0).toString(16) + '}';
    });
  }

  /* As much of a text as fits so many letters; some letters are two wide. */
  function fit(text, letters) {
    text = plainText(text, letters + 2);
    for (var i = 0, room = letters; i < text.length; i++) {
      room -= text.charCodeAt(i) > 0x1100 ? 2 : 1;
      if (room < 0) return text.slice(0, Math.max(0, i - 2)).replace(/[\ud800-\udbff]$/, '') + '..';
    }
    return text;
  }

  function inside(i, j) { return x[i] >= x[j] - 1e-6 && x[i] + w[i] <= x[j] + w[j] + 1e-6; }
  function more(i) { return g[i].classList.contains('more'); }

  /* The frames below i, from the whole to its parent. */
  function path(i) {
    var below = [];
    for (var j = 0; j < n; j++)
      if (row[j] < row[i] && inside(i, j)) below.push(j);
    return below.sort(function (a, b) { return row[a] - row[b]; });
  }

  function write(i, at, width) {
    var letters = Math.floor((width - 2 * MARGIN) / LETTER);
    if (!label[i]) {
      if (letters < 3 || more(i)) return;
      label[i] = make('text', g[i], { y: +box[i].getAttribute('y') + 11.5 });
    }
    label[i].textContent = letters < 3 ? '' : fit(name[i], letters);
    label[i].setAttribute('x', (left + at + MARGIN).toFixed(2));
  }

  /* A frame as the file drew it. */
  function restore(i) {
    box[i].setAttribute('x', (left + x[i]).toFixed(3));
    box[i].setAttribute('width', w[i].toFixed(3));
    if (label[i]) {
      label[i].textContent = first[i];
      label[i].setAttribute('x', (left + x[i] + MARGIN).toFixed(2));
    }
    moved[i] = 0;
  }

  function place(i, at, width) {
    box[i].setAttribute('x', (left + at).toFixed(3));
    box[i].setAttribute('width', width.toFixed(3));
    write(i, at, width);
    moved[i] = 1;
  }

  function draw() {
    var from = x[zoom], scale = span / (w[zoom] || 1), to = from + w[zoom];
    for (var i = 0; i < n; i++) {
      var above = row[i] < row[zoom] && inside(zoom, i);
      var width = above ? span : w[i] * scale;
      var visible = zoom === 0 || above || (row[i] >= row[zoom] && x[i] >= from - 1e-6 && x[i] + w[i] <= to + 1e-6 && width >= THIN);
      if (zoom === 0) { if (moved[i]) restore(i); }
      else if (visible) place(i, above ? 0 : (x[i] - from) * scale, width);
      if (shown[i] !== +visible) {
        g[i].style.display = visible ? '' : 'none';
        shown[i] = +visible;
      }
      if (dim[i] !== +above) {
        g[i].classList.toggle('above', above);
        dim[i] = +above;
      }
    }
    reset.classList.toggle('off', zoom === 0);
    var axis = pick('axis');
    if (axis) axis.classList.toggle('off', zoom !== 0);
    trail();
    count();
    remember();
  }

  /* Breadcrumbs: where the zoom stands. */
  function trail() {
    crumbs.textContent = '';
    if (zoom === 0) return;
    var all = path(zoom).concat(zoom), room = Math.floor(span / LETTER), from = all.length;
    while (from > 0 && room > 0) room -= Math.min(28, name[all[--from]].length) + 3;
    if (room < 0 && from < all.length - 1) from++;
    if (from > 0) make('tspan', crumbs, {}, '\u2026 \u203a ');
    all.slice(from).forEach(function (i, k) {
      var part = make('tspan', crumbs, { 'class': 'crumb' }, (k ? ' \u203a ' : '') + fit(name[i], 28));
      part.addEventListener('click', function () { go(i); });
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
    var rest = title[i].slice(name[i].length).replace(/\n/g, ', ') + part;
    info.textContent = plainText(name[i], Math.max(20, Math.floor(span / LETTER) - rest.length)) + rest;
  }

  /* ---- search ---- */

  function tester(text) {
    if (!plain) {
      try {
        var re = new RegExp(text, cased ? 'u' : 'iu');
        return function (s) { return re.test(s); };
      } catch (e) { /* then it is text */ }
    }
    var want = cased ? text : text.toLowerCase();
    return function (s) { return (cased ? s : s.toLowerCase()).indexOf(want) >= 0; };
  }

  function search(text) {
    var test = text ? tester(text) : null, known = new Map();
    pattern = text;
    hits = [];
    for (var i = 0; i < n; i++) {
      var now = known.get(name[i]);
      if (now === undefined) known.set(name[i], now = test !== null && test(name[i]));
      now = now && i > 0 && !more(i);
      if (hit[i] !== +now) g[i].classList.toggle('match', now);
      hit[i] = +now;
      if (now) hits.push(i);
    }
    hits.sort(function (a, b) { return x[a] - x[b] || w[b] - w[a] || row[a] - row[b]; });
    caseButton.setAttribute('aria-pressed', cased);
    plainButton.setAttribute('aria-pressed', !plain);
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
      (zoom ? ', ' + (100 * part / (w[zoom] || 1)).toFixed(2) + '% of the zoom' : '') + (cased ? ' (this case)' : '') + (plain ? ' (plain text)' : '');
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

  function toggle(what) {
    if (what === 'case') cased = !cased;
    else plain = !plain;
    search(pattern);
  }

  /* ---- what changed: colours by own cost, or with all that was called ---- */

  function recolour() {
    total = !total;
    change.textContent = total ? 'Colours: total' : 'Colours: self';
    for (var i = 0; i < n; i++) {
      var other = box[i].getAttribute('data-total'), now = box[i].getAttribute('fill');
      if (!other) continue;
      box[i].setAttribute('fill', other);
      box[i].setAttribute('data-total', now);
    }
    remember();
  }

  /* ---- the URL ---- */

  function remember() {
    var parts = [];
    if (zoom) parts.push('z=' + zoom);
    if (pattern) parts.push('s=' + encodeURIComponent(pattern));
    if (cased) parts.push('c=1');
    if (plain) parts.push('p=1');
    if (total) parts.push('t=1');
    if (svg.classList.contains('dark')) parts.push('d=1');
    if (svg.classList.contains('light')) parts.push('d=0');
    try { history.replaceState(null, '', parts.length ? '#' + parts.join('&') : location.pathname + location.search); } catch (e) { /* not in a page of its own */ }
  }

  function recall() {
    var found = {};
    location.hash.slice(1).split('&').forEach(function (part) {
      var at = part.indexOf('=');
      if (at > 0) try { found[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1)); } catch (e) { /* not ours */ }
    });
    cased = found.c === '1';
    plain = found.p === '1';
    if (found.d) svg.classList.add(found.d === '1' ? 'dark' : 'light');
    if (change && (found.t === '1') !== total) recolour();
    if ((found.s || '') !== pattern) search(found.s || '');
    var z = parseInt(found.z, 10) || 0;
    if (z !== zoom && z >= 0 && z < n && !more(z)) go(z);
  }

  /* ---- keys ---- */

  function near(key) {
    var best = -1, i, climb = key === (up ? 'ArrowUp' : 'ArrowDown');
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

  function copy(text) {
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(function () { info.textContent = 'copied'; }, function () { info.textContent = plainText(text, 200); });
  }

  function help() {
    var tall = +svg.getAttribute('data-height') || +svg.getAttribute('height'), need = KEYS.length * 18 + 20;
    if (keys) keys.remove();
    keys = keys ? null : make('g', svg, { 'class': 'keys' });
    svg.setAttribute('data-height', tall);
    if (keys && tall < need + 70) tall = need + 70; // a picture of few rows has no room for the list
    svg.setAttribute('height', tall);
    svg.setAttribute('viewBox', '0 0 ' + svg.getAttribute('width') + ' ' + tall);
    if (!keys) return;
    make('rect', keys, { x: left + 20, y: 60, width: 480, height: need, rx: 6 });
    KEYS.forEach(function (k, i) {
      make('text', keys, { 'class': 'key', x: left + 36, y: 82 + 18 * i }, k[0]);
      make('text', keys, { x: left + 150, y: 82 + 18 * i }, k[1]);
    });
  }

  function shade() {
    var dark = svg.classList.contains('dark') || (!svg.classList.contains('light') && matchMedia('(prefers-color-scheme: dark)').matches);
    svg.classList.remove('dark', 'light');
    svg.classList.add(dark ? 'light' : 'dark');
    remember();
  }

  function typed(e) {
    if (e.key === 'Escape') { search(''); find.classList.add('off'); input.blur(); }
    if (e.key === 'Enter') { find.classList.add('off'); input.blur(); step(1); }
  }

  function key(e) {
    if (e.target === input) return typed(e);
    if ((e.ctrlKey || e.metaKey) && e.key === 'f' || e.key === '/' || e.key === 'F3') { e.preventDefault(); return ask(); }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'Escape') { if (keys) help(); else if (pattern) search(''); else go(0); }
    else if (e.key === 'Enter' && !more(chosen)) go(chosen);
    else if (e.key === 'Backspace') { e.preventDefault(); var below = path(zoom); go(below.length ? below[below.length - 1] : 0); }
    else if (e.key === 'n') step(1);
    else if (e.key === 'N') step(-1);
    else if (e.key === 'i') toggle('case');
    else if (e.key === 'p') toggle('plain');
    else if (e.key === 'd') shade();
    else if (e.key === 't' && change) recolour();
    else if (e.key === '?') help();
    else if (e.key === 'c') copy(name[chosen]);
    else if (e.key === 'C') copy(path(chosen).concat(chosen).slice(1).map(function (i) { return name[i]; }).join(';'));
    else if (e.key.slice(0, 5) === 'Arrow') { e.preventDefault(); near(e.key); }
  }

  function frameOf(target) {
    var f = target.closest ? target.closest('.frame') : null;
    return f ? index.get(f) : -1;
  }

  read();
  svg.classList.add('live');
  svg.setAttribute('role', 'application');
  info.setAttribute('aria-live', 'polite');
  matched.setAttribute('aria-live', 'polite');
  svg.addEventListener('click', function (e) {
    var i = frameOf(e.target);
    if (i >= 0 && !more(i)) go(i);
    else if (i >= 0) choose(i);
  });
  svg.addEventListener('mouseover', function (e) { var i = frameOf(e.target); tell(i >= 0 ? i : chosen); });
  reset.addEventListener('click', function () { go(0); });
  pick('search').addEventListener('click', ask);
  pick('help').addEventListener('click', help);
  if (change) {
    KEYS.push(['t', 'colours by the change of self or of total']);
    change.addEventListener('click', recolour);
  }
  caseButton.addEventListener('click', function () { toggle('case'); input.focus(); });
  plainButton.addEventListener('click', function () { toggle('plain'); input.focus(); });
  input.addEventListener('input', function () { search(input.value); });
  window.addEventListener('keydown', key);
  window.addEventListener('hashchange', recall);
  choose(0);
  recall();
}());
