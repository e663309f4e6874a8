/**
 * Offsets of the service count code points; strings of JavaScript count UTF-16 units.
 *
 * A letter outside the first 65,536, such as an emoji, is one code point and two units.
 */

const EVERY = 1024; // code points between two remembered places

/** A text that is sliced by code points, in a time that does not depend on its length. */
export class CodePointText {
  readonly length: number;
  private readonly units: number[] = []; // the unit at which each block of code points begins

  constructor(readonly text: string) {
    let count = 0;
    for (let unit = 0; unit < text.length; count += 1) {
      if (count % EVERY === 0) this.units.push(unit);
      unit += isPair(text, unit) ? 2 : 1;
    }
    this.length = count;
  }

  /** The unit at which a code point begins; the end of the text for any that is beyond it. */
  unitAt(codePoint: number): number {
    if (codePoint <= 0) return 0;
    if (codePoint >= this.length) return this.text.length;
    let unit = this.units[Math.floor(codePoint / EVERY)] ?? 0;
    for (let left = codePoint % EVERY; left > 0; left -= 1) unit += isPair(this.text, unit) ? 2 : 1;
    return unit;
  }

  slice(start: number, end: number): string {
    return this.text.slice(this.unitAt(start), this.unitAt(end));
  }
}

/** How many code points a text has. */
export function countCodePoints(text: string): number {
  let count = 0;
  for (let unit = 0; unit < text.length; count += 1) unit += isPair(text, unit) ? 2 : 1;
  return count;
}

// A lone surrogate counts as one, as in Python.
function isPair(text: string, unit: number): boolean {
  const first = text.charCodeAt(unit);
  if (first < 0xd800 || first > 0xdbff) return false;
  const second = text.charCodeAt(unit + 1);
  return second >= 0xdc00 && second <= 0xdfff;
}
