// What hands do to a picture, in all of them alike: the wheel and two fingers zoom, dragging moves, a click chooses, a
// double click shows everything. Shift and the wheel scroll.

export interface Hands {
  zoom(factor: number, at: number): void; // about a place from 0 (left) to 1
  pan(x: number, y: number): void; // by so many pixels
  hover(x: number, y: number): void; // in coordinates of the window, as all below
  leave(): void;
  click(x: number, y: number): void;
  reset(): void;
  /** Dragging with Shift held down chooses from there to here; `done` when the hand lets go. */
  choose?(from: number, to: number, done: boolean): void;
}

const STILL = 3; // pixels: less is no dragging
const TWICE = 400; // ms

interface Held {
  x: number;
  y: number;
}

export function hands(canvas: HTMLCanvasElement, on: Hands): void {
  const held = new Map<number, Held>();
  let from: Held | null = null, moved = false, choosing = false, last = { time: -TWICE, x: 0, y: 0 };
  const share = (x: number) => {
    const r = canvas.getBoundingClientRect();
    return (x - r.left) / Math.max(1, r.width);
  };

  canvas.addEventListener('wheel', e => {
    const across = Math.abs(e.deltaX) > Math.abs(e.deltaY) && !e.shiftKey, lines = e.deltaMode === 1 ? 16 : 1;
    e.preventDefault();
    if (across) on.pan(-e.deltaX * lines, 0);
    else if (e.shiftKey) on.pan(0, -(e.deltaY || e.deltaX) * lines);
    else on.zoom(Math.exp(Math.max(-1, Math.min(1, (e.deltaY * lines) / 450))), share(e.clientX));
    // Another box may lie below the pointer now.
    requestAnimationFrame(() => requestAnimationFrame(() => on.hover(e.clientX, e.clientY)));
  }, { passive: false });

  canvas.addEventListener('pointerdown', e => {
    if (e.button) return;
    canvas.setPointerCapture(e.pointerId);
    held.set(e.pointerId, { x: e.clientX, y: e.clientY });
    if (held.size > 1) moved = true;
    else {
      from = { x: e.clientX, y: e.clientY };
      moved = false;
      choosing = e.shiftKey && !!on.choose;
    }
  });

  canvas.addEventListener('pointermove', e => {
    const was = held.get(e.pointerId), now = { x: e.clientX, y: e.clientY };
    if (was && held.size === 2) pinch(e.pointerId, was, now);
    else if (was && from) {
      moved ||= Math.hypot(now.x - from.x, now.y - from.y) > STILL;
      if (choosing) on.choose!(from.x, now.x, false);
      else if (moved) on.pan(now.x - was.x, now.y - was.y);
      if (!moved) return; // where it started is where it is, until it is dragging
    }
    if (was) held.set(e.pointerId, now);
    // A finger covers what it points at, and leaves with every touch: what was chosen stays told.
    if (e.pointerType !== 'touch') on.hover(now.x, now.y);
  });

  function pinch(id: number, was: Held, now: Held): void {
    const [, other] = [...held].find(([key]) => key !== id)!, before = Math.hypot(was.x - other.x, was.y - other.y), after = Math.hypot(now.x - other.x, now.y - other.y);
    if (before > 0 && after > 0) on.zoom(before / after, share((now.x + other.x) / 2));
    on.pan((now.x - was.x) / 2, (now.y - was.y) / 2);
  }

  const up = (e: PointerEvent) => {
    const was = held.delete(e.pointerId);
    if (!was || held.size) return;
    if (choosing && from) on.choose!(from.x, e.clientX, true);
    else if (!moved && e.type === 'pointerup') {
      // The second of two clicks shows everything, wherever the first one led.
      if (e.timeStamp - last.time < TWICE && Math.hypot(e.clientX - last.x, e.clientY - last.y) <= STILL) {
        last = { time: -TWICE, x: 0, y: 0 };
        on.reset();
      } else {
        last = { time: e.timeStamp, x: e.clientX, y: e.clientY };
        on.click(e.clientX, e.clientY);
      }
    }
    from = null;
    choosing = false;
  };
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('dblclick', () => on.reset()); // people may have made it slower than that
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('pointerleave', e => {
    if (!held.size && e.pointerType !== 'touch') on.leave();
  });
}
