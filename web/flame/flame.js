/*
 * What makes the SVG a tool: zoom, search, breadcrumbs, keys, and all of it in the URL. Without this
 * script the picture and its titles still say everything.
 *
 * Frames are read once into plain arrays. Zooming stretches the one group that holds them, whatever their
 * number; only labels are written anew, and those are few. Letters have one width, so nothing is ever measured.
 */
(function () {
  'use strict';
  var LETTER = 7.225, MARGIN = 3, THIN = 0.3, WIDE = 2, HEAD = 60, FOOT = 34;
  var svg = document.documentElement, ns = 'http://www.w3.org/2000/svg';
  var left = number('data-left'), whole = number('data-span'), wide = number('width'), tall = number('height'), up = number('data-up') === 1, time = number('data-time'), names = svg.getAttribute('data-names');
  var list = svg.getElementsByClassName('frame'), n = list.length, index = new Map();
  var x = new Float64Array(n), w = new Float64Array(n), row = new Int32Array(n), lane = new Int32Array(n), sum = new Uint8Array(n);
  var g = new Array(n), box = new Array(n), label = new Array(n), first = new Array(n), name = new Array(n), title = new Array(n);
  var dim = [], lined = [], written = [], hit = new Uint8Array(n), hits = [];
  var span = whole, room = wide, high = tall, lens = 1, from = 0, to = whole, scale = 1, shift = 0; // what is shown: from, to; screen = shift + scale * x
  var zoom = 0, chosen = 0, pattern = '', broken = false, cased = false, plain = false, total = false;
  var head = pick('head'), foot = pick('foot'), frames = pick('frames'), view = pick('view'), axis = pick('axis'), clip = null, keys = null;
  var info = pick('info'), matched = pick('matched'), crumbs = pick('crumbs'), reset = pick('reset'), legend = document.querySelector('.legend');
  var find = pick('find'), input = find.querySelector('input'), caseButton = pick('case'), plainButton = pick('plain'), change = pick('change');

  var KEYS = [['click, Enter', 'zoom to a frame'], ['Backspace', 'zoom out by one frame'], ['Escape', 'end the search, then the zoom'],
    ['arrows', 'move from frame to frame'], ['/ or Ctrl+F', 'search'], ['n, N', 'next match, previous match'], ['i', 'match case, or not'],
    ['p', 'search for plain text, or a regular expression'], ['c, C', 'copy the name, copy the stack'], ['d', 'dark or light']];

  function pick(id) { return document.getElementById(id); }
  function number(key) { return +document.documentElement.getAttribute(key); }

  function make(tag, parent, attributes, text) {
    var e = document.createElementNS(ns, tag);
    for (var k in attributes) e.setAttribute(k, attributes[k]);
    if (text) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  function read() {
    for (var i = 0, now = 0; i < n; i++) {
      var f = list[i], r = f.firstElementChild.nextElementSibling;
      if (f.classList.length > 1) {
        sum[i] = +f.classList.contains('more');
        if (f.classList.contains('lane')) now = i;
      }
      g[i] = f;
      box[i] = r;
      label[i] = r.nextElementSibling;
      if (label[i]) first[i] = { text: label[i].textContent, x: label[i].getAttribute('x') };
      x[i] = +r.getAttribute('x') - left;
      w[i] = +r.getAttribute('width');
      row[i] = +f.getAttribute('data-row');
      lane[i] = now;
      index.set(f, i);
    }
  }

  function titleOf(i) { return title[i] || (title[i] = g[i].firstElementChild.textContent); }

  function nameOf(i) {
    if (name[i] === undefined) {
      var text = titleOf(i), at = change ? text.lastIndexOf('\nbefore ') : -1;
      name[i] = text.slice(0, text.lastIndexOf(' (', at < 0 ? text.length : at));
    }
    return name[i];
  }

  /* What would swap or hide text is spelled out, and long names end somewhere. */
  function plainText(text, most) {
    if (text.length > most) text = text.slice(0, most - 1) + '\u2026';
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g, function (c) {
      return c === '\n' ? ' ' : '\\u{' + c.charCodeAt(0).toString(16) + '}';
    });
  }

  function letters(text) {
    for (var i = 0, sum = 0, c; i < text.length; i++) c = text.charCodeAt(i), sum += c > 0x1100 && !(c >= 0x2000 && c < 0x2e80) ? 2 : 1;
    return sum;
  }

  /* What stands in brackets of one kind as an ellipsis. */
  function without(text, open, close, keep) {
    // One pair of brackets may be the whole of a name: "(garbage collector)".
    for (var held = 0, k = 0; k < text.length && text[0] === open; k++) {
      held += (text[k] === open) - (text[k] === close);
      if (!held) break;
    }
    if (k > 1 && k === text.length - 1) return text;
    for (var i = 0, out = '', depth = 0; i < text.length; i++) {
      var c = text[i];
      if (keep && !depth && text.startsWith(keep, i)) { out += keep; i += keep.length - 1; }
      else if (c === open && !(open === '<' && !depth && /operator<*$/.test(out))) { if (!depth++) out += open + (text[i + 1] === close ? '' : '\u2026'); }
      else if (c === close && depth && !(c === '>' && text[i - 1] === '-')) { if (!--depth) out += close; }
      else if (!depth) out += c;
    }
    return depth ? text : out;
  }

  /* A name without what stands in brackets; a namespace without a name may stay. */
  function bare(text, anonymous) {
    return without(without(text, '<', '>'), '(', ')', anonymous && '(anonymous namespace)');
  }

  /* The functions of "f'2'main", which callgrind wrote: levels of recursion and callers. Other quotes belong to a name. */
  function callers(text) {
    for (var i = 0, from = 0, depth = 0, blank = 0, brackets = 0, out = [], c, m; i <= text.length; i++) {
      c = text[i] || '';
      if (!c || (!depth && c === '\'' && i > from && /[\w\x80-\uffff)>\]}$?]/.test(text[i - 1]) && /[\w\x80-\uffff(<{[~.$?\-+\/]/.test(text[i + 1] || ''))) {
        if (blank && !brackets) return [text];
        out.push(text.slice(from, i));
        from = i + 1;
        depth = blank = brackets = 0;
      } else if (c === 'o' && !/[\w\x80-\uffff]/.test(text[i - 1] || '') && (m = /^operator(?![\w\x80-\uffff])[()[\]<>=!+\-*\/%^&|~,]*/.exec(text.slice(i)))) {
        i += m[0].length - 1;
        brackets = 1;
      } else if ('(<[{'.indexOf(c) >= 0) {
        depth++;
        brackets = 1;
      } else if ((c === '>' && text[i - 1] !== '-') || ')]}'.indexOf(c) >= 0) {
        depth -= depth ? 1 : 0;
      } else if (!depth && c === ' ') {
        blank = 1;
      } else if (!depth && (c === '`' || c === '\'') && text.indexOf('\'', i + 1) > i + 1) {
        i = text.indexOf('\'', i + 1);
      }
    }
    return out;
  }

  /* Where the name of a template begins behind its return type; only templates state theirs. */
  function behindType(name) {
    var end = name.replace(/( const| volatile| noexcept| &&?)+$/, ''), at = end.length, depth = 0, begin = 0, i, c;
    if (end[at - 1] !== ')') return 0;
    while (at-- > 0 && !(end[at] === '(' && --depth === 0)) depth += end[at] === ')' ? 1 : 0;
    if (at <= 0 || end[at - 1] !== '>') return 0;
    for (i = depth = 0; i < at; i++) {
      c = end[i];
      if (!depth && /^operator\W/.test(end.slice(i, i + 9)) && !/\w/.test(end[i - 1] || '')) break;
      if ('<([{'.indexOf(c) >= 0) depth++;
      else if (')]}'.indexOf(c) >= 0 || (c === '>' && end[i - 1] !== '-')) depth -= depth ? 1 : 0;
      else if (c === ' ' && !depth && !/^(const|volatile|&)/.test(end.slice(i + 1))) begin = i + 1;
    }
    return /#|\b(in|to|for|of|get|set|new|static|async) *$/.test(end.slice(0, begin)) ? 0 : begin;
  }

  /* A function without its clones, and those as a mark: " [isra]". */
  function parted(name) {
    var core = name.replace(/(?: \[clone [^\]]*\])+$/, ''), kinds = name.slice(core.length).match(/\[clone \.[^\].]*/g) || [];
    return { core: core, mark: kinds.length ? ' [' + kinds.map(function (kind) { return kind.slice(8); }).join(' ') + ']' : '' };
  }

  /* A function without its type and without what is in brackets. */
  function brief(name) {
    var part = parted(name);
    return bare(part.core.slice(behindType(part.core)), true) + part.mark;
  }

  /* Takes "(…) const" off a name. */
  function noParameters(text) { return text.replace(/([^.:( ])\(\u2026?\)( const| volatile| noexcept| &&?)*$/, function (all, before, q, at) { return text.slice(0, at + 1).slice(-8) === 'operator' ? all : before; }); }

  /* Where a function's own name begins. */
  function ownBegin(text) {
    for (var each = /\\|::|->|\/|\.(?=[^.])/g, name = noParameters(text).replace(/<\u2026?>$/, ''), at = 0, m; (m = each.exec(name));) at = m.index + m[0].length;
    return at;
  }

  /*
   * A name that fits so many letters. What compilers and callgrind put around it goes first: clones become a mark, then the
   * return type, levels of recursion and callers go. As src/text/shorten.c does it.
   */
  function fit(text, room) {
    text = plainText(text, 2000);
    if (letters(text) <= room && names !== 'short') return text;
    var all = callers(text), part = parted(all[0]), begin = behindType(part.core), rest = text.slice(all[0].length);
    var shortest = all.slice(1).map(function (name) { return '\'' + brief(name); }).join(''), i, own, forms;
    if (names === 'short') { text = brief(all[0]) + shortest; room = Math.min(room, 60); }
    if (letters(text) <= room) return text;
    if (names === 'full') return fitCore(text, room);
    part.bare = part.core.slice(begin);
    if (names === 'short') part.bare = bare(part.bare, true);
    else if (letters(part.core + part.mark + rest) <= room) return part.core + part.mark + rest;
    forms = names === 'short' ? [] : [part.bare + part.mark + rest];
    forms.push(part.bare + part.mark + shortest, part.bare + part.mark);
    for (i = 0; i < forms.length; i++) if (letters(forms[i]) <= room) return forms[i];
    own = noParameters(bare(part.bare, true));
    own = letters(own.slice(ownBegin(own)).replace(/<\u2026?>$/, ''));
    return part.mark && room - letters(part.mark) > own ? fitCore(part.bare, room - letters(part.mark)) + part.mark : fitCore(part.bare, room);
  }

  /* A name that fits: what is in brackets goes first, then what leads to it, then its middle. */
  function fitCore(text, room) {
    if (letters(text) <= room) return text;
    if (names === 'full') {
      for (var cut = Array.from(text), sum = 0, k = 0; k < cut.length && sum + letters(cut[k]) < room; k++) sum += letters(cut[k]);
      return cut.slice(0, k).join('') + '\u2026';
    }
    if (letters(without(text, '<', '>')) <= room) return without(text, '<', '>');
    if (letters(bare(text, true)) <= room) return bare(text, true);
    text = bare(text, false);
    // Empty brackets go before the function's own name is cut.
    if (letters(text.slice(ownBegin(text))) >= room) text = noParameters(text);
    if (letters(text.slice(ownBegin(text))) >= room) text = text.replace(/<\u2026>$/, '');
    if (letters(text) <= room) return text;
    if (letters(text.slice(ownBegin(text))) === room) return text.slice(ownBegin(text));
    var open = text.indexOf('('), word = text.slice(0, Math.max(0, open)).indexOf('operator'), last = text.lastIndexOf(' ', (word < 0 ? open : word) - 1) + 1, m;
    // What a function returns goes before what leads to it.
    if (open < 1 || last < 2 || text[last] === '(' || text.slice(-8).indexOf(')') < 0) last = 0;
    if (last && letters(text.slice(last)) < room) return '\u2026' + text.slice(last);
    for (var parts = /\\|::|->|\/|\.(?=[^.])/g; (m = parts.exec(text));) {
      if (m.index < last) continue;
      var ends = m[0] === '/' || m[0] === '\\', rest = text.slice(m.index + m[0].length);
      // A class stays with its method, a file with its ending.
      if (!rest || m[0] === '->' || (!ends && !/\\|\/|::|->|\.[^.]/.test(rest))) continue;
      last = m.index + (ends ? 0 : m[0].length);
      if (letters(text.slice(last)) < room) return '\u2026' + text.slice(last);
    }
    text = (last ? '\u2026' : '') + text.slice(last);
    if (letters(text) <= room) return text;
    // The method stays whole where there is room for some of its class.
    for (var method = 0, each = /\\|::|->|\/|\.(?=[^.])/g; (m = each.exec(text));) if (m.index) method = m.index;
    var tail = text.slice(method), most = room - letters(tail);
    if (method && most < 1 && most > -2 && /^(::|->)/.test(tail) && !(last && room < 8)) return '\u2026' + tail.slice(2);
    if (method && most >= 1 && !(last && room < 8)) {
      for (var start = Array.from(text.slice(0, method)), j = 0, took = 0; most > 5 && j < start.length && took + letters(start[j]) < most; j++) took += letters(start[j]);
      return start.slice(0, j).join('').replace(/\u2026+$/, '') + '\u2026' + tail;
    }
    // Where there is no room for two ellipses, only the end is shown.
    var all = Array.from(text), a = 0, z = all.length, head = last && room < 8 ? 0 : Math.floor((room - 1) / 2), n = 0;
    while (a < z && n + letters(all[a]) <= head) n += letters(all[a++]);
    for (n = 0; z > a && n + letters(all[z - 1]) <= room - 1 - head;) n += letters(all[--z]);
    return (all.slice(0, a).join('') + '\u2026' + all.slice(z).join('')).replace(/\u2026{2,}/g, '\u2026');
  }

  /* "1,310,000,000 ns" as people say it; nothing where that is no shorter. */
  function human(text) {
    var m = /\(([\d,.]+) (ns|bytes),/.exec(text), steps = { ns: [[3600e9, 'h'], [60e9, 'min'], [1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']], bytes: [[Math.pow(1024, 3), 'GiB'], [Math.pow(1024, 2), 'MiB'], [1024, 'KiB']] };
    if (!m) return '';
    var value = +m[1].replace(/,/g, ''), step = steps[m[2]].filter(function (k) { return value >= k[0]; })[0];
    return step ? (value / step[0]).toPrecision(3).replace(/\.0+$/, '') + ' ' + step[1] : '';
  }

  function inside(i, j) { return (lane[i] === lane[j] || j === 0) && x[i] >= x[j] - 1e-6 && x[i] + w[i] <= x[j] + w[j] + 1e-6; }
  function isLane(i) { return i > 0 && lane[i] === i; }
  function shown(i) { return x[i] < to && x[i] + w[i] > from && w[i] * scale >= THIN; }

  /* The frames below i, from the whole to its parent. */
  function path(i) {
    var below = [];
    for (var j = 0; j < n; j++)
      if (row[j] < row[i] && inside(i, j)) below.push(j);
    return below.sort(function (a, b) { return row[a] - row[b]; });
  }

  /* ---- what is shown ---- */

  /* Writes as much of a name as fits between two places on the screen; labels keep their shape when frames are stretched. */
  function write(i, at, end) {
    var most = Math.floor((end - at - 2 * MARGIN) / LETTER);
    if (most < 3) return;
    if (!label[i]) label[i] = make('text', g[i], { y: +box[i].getAttribute('y') + 11.5 });
    // Nothing rather than one or two letters of it.
    label[i].textContent = most > 4 || letters(nameOf(i)) <= most ? fit(nameOf(i), most) : '';
    label[i].setAttribute('x', 0);
    label[i].setAttribute('transform', 'translate(' + (left + at + MARGIN - shift) / scale + ') scale(' + 1 / scale + ' 1)');
    written.push(i);
  }

  function unwrite(i) {
    label[i].removeAttribute('transform');
    label[i].textContent = first[i] ? first[i].text : '';
    if (first[i]) label[i].setAttribute('x', first[i].x);
  }

  function stretch() {
    from = x[zoom];
    to = from + Math.max(w[zoom], 0.001);
    scale = span / (to - from);
    shift = left - (left + from) * scale;
    var still = zoom === 0 && span === whole;
    if (still) {
      frames.removeAttribute('transform');
      view.removeAttribute('clip-path');
    } else {
      if (!clip) clip = make('rect', make('clipPath', svg, { id: 'clip' }), { x: left, y: 0, height: tall });
      clip.setAttribute('width', span);
      frames.setAttribute('transform', 'translate(' + shift + ') scale(' + scale + ' 1)');
      view.setAttribute('clip-path', 'url(#clip)');
    }
    return still;
  }

  function draw() {
    var still = stretch(), i;
    written.forEach(unwrite);
    written = [];
    lined.forEach(function (j) { box[j].classList.remove('wide'); });
    lined = [];
    dim.forEach(function (j) { g[j].classList.remove('above'); });
    dim = zoom ? path(zoom) : [];
    dim.forEach(function (j) { g[j].classList.add('above'); });
    for (i = 0; i < n && !still; i++) {
      if (label[i]) {
        label[i].textContent = '';
        written.push(i);
      }
      if (isLane(i)) write(i, 0, span);
      if (w[i] * scale < WIDE || x[i] >= to || x[i] + w[i] <= from) continue;
      if (w[i] < WIDE) {
        box[i].classList.add('wide');
        lined.push(i);
      }
      if (!sum[i] && !isLane(i)) write(i, Math.max(0, (x[i] - from) * scale), Math.min(span, (x[i] + w[i] - from) * scale));
    }
    reset.classList.toggle('off', zoom === 0);
    fitLegend();
    ruler(still);
    trail();
    count();
    remember();
  }

  /* Digits before the point, three by three. */
  function grouped(number) {
    return number.replace(/^\d+/, function (whole) { return whole.replace(/\B(?=(\d{3})+$)/g, ','); });
  }

  /* The axis of time for what is shown. */
  function ruler() {
    if (!axis || !time) return;
    var begin = from / whole * time, length = (to - from) / whole * time, rough = length / (span / 120), step = Math.pow(10, Math.floor(Math.log10(rough)));
    var far = begin + length, unit = far >= 1e9 ? 1e9 : far >= 1e6 ? 1e6 : far >= 1e3 ? 1e3 : 1, named = { 1: 'ns', 1e3: '\u00b5s', 1e6: 'ms', 1e9: 's' }[unit];
    var y = +axis.getElementsByTagName('text')[0].getAttribute('y');
    step *= rough / step > 5 ? 10 : rough / step > 2 ? 5 : rough / step > 1 ? 2 : 1;
    axis.textContent = '';
    for (var k = Math.ceil(begin / step - 1e-9); k * step <= begin + length * 0.96; k++) {
      var at = left + (k * step - begin) / length * span;
      make('line', axis, { x1: at, y1: y - 8, x2: at, y2: y });
      make('text', axis, { x: at + 3, y: y }, grouped((k * step / unit).toFixed(Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)))) + ' ' + named);
    }
  }

  /*
   * Phones lay a picture out as if they were three times as wide, and show that small: there the picture is as wide as
   * the phone is, and enlarged.
   */
  function windowWidth() {
    var alone = document.documentElement === svg, page = svg.clientWidth, phone = alone && window.screen && screen.width > 0 && page > screen.width * 1.1 && matchMedia('(pointer: coarse)').matches;
    lens = phone ? page / screen.width : 1;
    return phone ? screen.width : alone ? window.innerWidth : page;
  }

  function resize(height) {
    high = height;
    svg.setAttribute('width', room * lens);
    svg.setAttribute('height', high * lens);
    svg.setAttribute('viewBox', '0 0 ' + room + ' ' + high);
  }

  function inSight() { return svg.clientHeight / lens; }

  /* The picture is as wide as the window. */
  function fitWindow() {
    var now = Math.max(200, windowWidth() || wide), wider = Math.min(330, now - 2 * left);
    if (now === room) return false;
    room = now;
    span = room === wide ? whole : room - 2 * left;
    fitTitles();
    resize(high);
    [['title', room / 2], ['subtitle', room / 2], ['search', room - left], ['help', room - left], ['matched', room - left], ['find', room - left - wider]].forEach(function (k) { pick(k[0]).setAttribute('x', k[1]); });
    find.setAttribute('width', wider - 60);
    return true;
  }

  /* As much of the legend as fits beside the buttons. */
  function fitLegend() {
    var by = zoom ? 0 : -80, most = room - left - 60 - by;
    [legend, change].forEach(function (e) { if (e) e.setAttribute('transform', 'translate(' + by + ')'); });
    if (legend) for (var k = 0; k + 1 < legend.children.length; k += 2)
      [0, 1].forEach(function (j) { legend.children[k + j].classList.toggle('off', +legend.children[k + 1].getAttribute('x') + legend.children[k + 1].textContent.length * LETTER > most); });
    if (change) change.classList.toggle('off', +change.getAttribute('x') + change.textContent.length * LETTER > most);
  }

  /* Titles that are too long for a narrow window are shortened. */
  function fitTitles() {
    ['title', 'subtitle'].forEach(function (id, k) {
      var e = pick(id), text = e.getAttribute('data-text') || e.textContent;
      e.setAttribute('data-text', text);
      e.textContent = fit(text, Math.floor((room - 2 * left - (k ? 0 : 50)) / (k ? LETTER : 10.3)));
    });
  }

  /* What stands above and below the frames stays in sight. */
  function stick() {
    var y = Math.max(0, window.scrollY || 0) / lens;
    head.setAttribute('transform', 'translate(0 ' + Math.min(y, Math.max(0, high - HEAD - FOOT)) + ')');
    foot.setAttribute('transform', 'translate(0 ' + Math.min(0, y + inSight() - high) + ')');
  }

  function reveal(i) {
    var y = +box[i].getAttribute('y'), top = window.scrollY / lens, bottom = top + inSight();
    if (y < top + HEAD + 2) window.scrollTo(window.scrollX, (y - HEAD - 18) * lens);
    else if (y + 15 > bottom - FOOT) window.scrollTo(window.scrollX, (y + 33 + FOOT - inSight()) * lens);
  }

  /* Breadcrumbs: where the zoom stands. */
  function trail() {
    crumbs.textContent = '';
    if (zoom === 0) return;
    var all = path(zoom).concat(zoom), most = Math.floor(span / LETTER), skip = all.length;
    while (skip > 0 && most > 0) most -= Math.min(28, nameOf(all[--skip]).length) + 3;
    if (most < 0 && skip < all.length - 1) skip++;
    if (skip > 0) make('tspan', crumbs, {}, '\u2026 \u203a ');
    all.slice(skip).forEach(function (i, k) {
      var part = make('tspan', crumbs, { 'class': 'crumb', role: 'button', tabindex: 0 }, (k ? ' \u203a ' : '') + fit(nameOf(i), 28));
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
    var rest = titleOf(i).slice(nameOf(i).length), said = human(rest);
    var most = Math.floor(span / LETTER), exact = rest.replace(/\n/g, ', ') + part;
    rest = (said ? ' ' + said : '') + exact;
    // Where there is little room the digits go, then what comes last.
    if (rest.length + 16 > most && said) rest = ' ' + said + exact.replace(/\([^,]*(,\d{3})* [a-z]+, /, '(');
    if (rest.length + 16 > most) rest = rest.slice(0, Math.max(12, most - 17)) + '\u2026';
    info.textContent = fit(nameOf(i), Math.max(16, most - rest.length)) + rest;
  }

  /* ---- search ---- */

  function tester(text) {
    var flags = cased ? ['u', ''] : ['iu', 'i']; // some patterns are right only without u
    for (var k = 0; k < 2 && !plain; k++) {
      try {
        var re = new RegExp(text, flags[k]);
        return function (s) { return re.test(s); };
      } catch (e) { broken = k === 1; } // then it is text, which is said
    }
    var want = cased ? text : text.toLowerCase();
    return function (s) { return (cased ? s : s.toLowerCase()).indexOf(want) >= 0; };
  }

  function search(text) {
    broken = false;
    var test = text ? tester(text) : null, known = new Map();
    pattern = text;
    hits = [];
    for (var i = 1; i < n; i++) {
      var now = false;
      if (test && !sum[i] && !isLane(i)) {
        now = known.get(nameOf(i));
        if (now === undefined) known.set(name[i], now = test(name[i]));
      }
      if (hit[i] !== +now) g[i].classList.toggle('match', now);
      hit[i] = +now;
      if (now) hits.push(i);
    }
    hits.sort(function (a, b) { return x[a] - x[b] || w[b] - w[a] || row[a] - row[b]; });
    caseButton.setAttribute('aria-pressed', cased);
    plainButton.setAttribute('aria-pressed', !plain);
    input.classList.toggle('wrong', broken);
    input.setAttribute('aria-invalid', broken);
    count();
    remember();
  }

  /* The part of the whole and of the zoom that is covered by matches: nested ones, and those of several lanes, count once. */
  function covered(begin, end, only) {
    var part = 0, at = begin;
    hits.forEach(function (i) {
      var right = Math.min(end, x[i] + w[i]);
      if ((only && lane[i] !== only) || right <= at) return;
      part += right - Math.max(at, x[i]);
      at = right;
    });
    return (100 * part / (end - begin || 1)).toFixed(2) + '%';
  }

  function count() {
    if (!pattern) {
      matched.textContent = '';
      return;
    }
    matched.textContent = hits.length + ' matched: ' + covered(0, w[0], 0) + (zoom ? ', ' + covered(x[zoom], x[zoom] + w[zoom], lane[zoom]) + ' of the zoom' : '') +
      (broken ? ' (as text: not a regular expression)' : plain ? ' (plain text)' : '') + (cased ? ' (this case)' : '');
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
    if (!shown(chosen)) go(chosen);
    reveal(chosen);
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
    if (zoom) parts.push('stack=' + path(zoom).concat(zoom).slice(1).map(function (i) { return encodeURIComponent(nameOf(i).replace(/[\\;]/g, '\\$&')); }).join(';'));
    if (pattern) parts.push('s=' + encodeURIComponent(pattern));
    if (cased) parts.push('c=1');
    if (plain) parts.push('p=1');
    if (total) parts.push('t=1');
    if (svg.classList.contains('dark')) parts.push('d=1');
    if (svg.classList.contains('light')) parts.push('d=0');
    try { history.replaceState(null, '', parts.length ? '#' + parts.join('&') : location.pathname + location.search); } catch (e) { /* not in a page of its own */ }
  }

  /* The frame that names lead to from the whole, as far as they do: the same in a picture of the next recording. */
  function named(stack) {
    for (var at = 0, k = 0; k < stack.length; k++) {
      for (var want = stack[k].replace(/\\(.)/g, '$1'), next = 0, i = at + 1; i < n && !next; i++)
        if ((row[i] === row[at] + 1 || (!at && isLane(i))) && inside(i, at) && nameOf(i) === want) next = i;
      if (!next) break;
      at = next;
    }
    return at;
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
    var z = found.stack ? named(found.stack.match(/(\\.|[^;\\])+/g) || []) : parseInt(found.z, 10) || 0;
    if (z !== zoom && z >= 0 && z < n && !sum[z]) go(z);
  }

  /* ---- keys ---- */

  function near(key) {
    var best = -1, i, climb = key === (up ? 'ArrowUp' : 'ArrowDown');
    for (i = 0; i < n; i++) {
      if (i === chosen || !shown(i)) continue;
      if (key === 'ArrowLeft' || key === 'ArrowRight') {
        if (row[i] !== row[chosen] || (key === 'ArrowLeft') !== (x[i] < x[chosen])) continue;
        if (best < 0 || Math.abs(x[i] - x[chosen]) < Math.abs(x[best] - x[chosen])) best = i;
      } else if (climb) {
        if ((row[i] === row[chosen] + 1 || (!chosen && isLane(i))) && inside(i, chosen) && (best < 0 || (isLane(i) ? row[i] < row[best] : w[i] > w[best]))) best = i;
      } else if (isLane(chosen) ? i === 0 : row[i] === row[chosen] - 1 && inside(chosen, i)) {
        best = i;
      }
    }
    if (best < 0) return;
    choose(best);
    reveal(best);
  }

  function copy(text) {
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(function () { info.textContent = 'copied'; }, function () { info.textContent = plainText(text, 200); });
  }

  function help() {
    var narrow = room < 540, need = KEYS.length * (narrow ? 36 : 18) + 20;
    if (keys) keys.remove();
    keys = keys ? null : make('g', head, { 'class': 'keys' });
    resize(keys ? Math.max(tall, need + 70) : tall); // a picture of few rows has no room for the list
    stick();
    if (!keys) return;
    svg.appendChild(head); // above the line below the frames, too
    make('rect', keys, { x: left, y: 60, width: Math.min(500, room - 2 * left), height: need, rx: 6 });
    KEYS.forEach(function (k, i) {
      make('text', keys, { 'class': 'key', x: left + 12, y: 82 + (narrow ? 36 : 18) * i }, k[0]);
      make('text', keys, { x: left + (narrow ? 24 : 130), y: 82 + (narrow ? 36 * i + 16 : 18 * i) }, k[1]);
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
    if ((e.key === 'Enter' || e.key === ' ') && e.target.closest && e.target.closest('.button, .crumb')) {
      e.preventDefault();
      return e.target.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    }
    if ((e.ctrlKey || e.metaKey) && e.key === 'f' || e.key === '/' || e.key === 'F3') { e.preventDefault(); return ask(); }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === 'Escape') { if (keys) help(); else if (pattern) search(''); else go(0); }
    else if (e.key === 'Enter' && !sum[chosen]) go(chosen);
    else if (e.key === 'Backspace') { e.preventDefault(); var below = path(zoom); go(below.length ? below[below.length - 1] : 0); }
    else if (e.key === 'n') step(1);
    else if (e.key === 'N') step(-1);
    else if (e.key === 'i') toggle('case');
    else if (e.key === 'p') toggle('plain');
    else if (e.key === 'd') shade();
    else if (e.key === 't' && change) recolour();
    else if (e.key === '?') help();
    else if (e.key === 'c') copy(nameOf(chosen));
    else if (e.key === 'C') copy(path(chosen).concat(chosen).filter(function (i) { return i && !isLane(i); }).map(nameOf).join(';'));
    else if (e.key.slice(0, 5) === 'Arrow') { e.preventDefault(); near(e.key); }
  }

  function frameOf(target) {
    var f = target.closest ? target.closest('.frame') : null;
    return f ? index.get(f) : -1;
  }

  read();
  svg.classList.add('live');
  svg.setAttribute('role', 'application');
  [head, foot].forEach(function (e, i) {
    svg.appendChild(e); // above the frames when it stays in sight
    e.insertBefore(make('rect', null, { 'class': 'back', y: i ? tall - FOOT : 0, width: '100%', height: i ? FOOT : HEAD }), e.firstChild);
  });
  document.querySelectorAll('.button').forEach(function (e) {
    e.setAttribute('role', 'button');
    e.setAttribute('tabindex', 0);
  });
  pick('help').setAttribute('aria-label', 'Keys');
  info.setAttribute('aria-live', 'polite');
  matched.setAttribute('aria-live', 'polite');
  svg.addEventListener('click', function (e) {
    var i = frameOf(e.target);
    if (i >= 0 && !sum[i]) go(i);
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
  window.addEventListener('scroll', stick);
  window.addEventListener('resize', function () {
    if (fitWindow()) { draw(); tell(chosen); }
    stick();
  });
  fitWindow();
  choose(0);
  fitLegend();
  recall();
  if (span !== whole && !zoom) draw();
  if (up && tall > inSight()) window.scrollTo(0, tall * lens); // where stacks begin
  stick();
}());
