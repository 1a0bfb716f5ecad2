// Boxes of a few pixels without a label, thousands to a row: set as pixels, which takes a tenth of what it takes to draw
// rectangles.

const numbers = new Map<string, number>();

/** #rrggbb or #rgb as a pixel of an opaque picture. */
export function pixel(colour: string): number {
  let n = numbers.get(colour);
  if (n === undefined) {
    const rgb = parseInt(colour.length === 4 ? colour.slice(1).replace(/./g, '$&$&') : colour.slice(1), 16);
    n = (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0;
    numbers.set(colour, n);
  }
  return n;
}

/** `share` of one pixel over another. */
export function blend(over: number, under: number, share: number): number {
  let out = 0xff000000;
  for (let at = 0; at < 24; at += 8) {
    const a = (over >> at) & 255, b = (under >> at) & 255;
    out |= Math.round(b + (a - b) * share) << at;
  }
  return out >>> 0;
}

export class Slivers {
  private image: ImageData | null = null;
  private pixels = new Uint32Array(0);
  private line = new Uint32Array(0);
  private width = 0;
  private height = 0;

  /** A picture of the given size (in pixels of the device) in one colour. */
  begin(g: CanvasRenderingContext2D, back: number): void {
    const { width, height } = g.canvas;
    if (this.width !== width || this.height !== height) {
      this.image = g.createImageData(width, height);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.line = new Uint32Array(width);
      this.width = width;
      this.height = height;
    }
    this.pixels.fill(back);
    this.line.fill(back);
  }

  /** One box of the row in work. */
  add(from: number, to: number, colour: number): void {
    const last = Math.min(this.width, Math.max(to, from + 1));
    for (let x = Math.max(0, from); x < last; x++) this.line[x] = colour;
  }

  /** Puts the row down, and starts the next. */
  row(top: number, bottom: number, back: number): void {
    for (let y = Math.max(0, top); y < Math.min(this.height, bottom); y++) this.pixels.set(this.line, y * this.width);
    this.line.fill(back);
  }

  end(g: CanvasRenderingContext2D): void {
    g.putImageData(this.image!, 0, 0);
  }
}
