/**
 * Terminal output as a reader would see it: of a line that was drawn again and again the last drawing,
 * no colours, no cursor codes (BR-027).
 */
export function cleanText(text: string): string {
  return text
    .replace(controlSequences, '')
    .split('\n')
    .map(lastDrawing)
    .join('\n')
    .replace(otherControls, '')
}

/* eslint-disable no-control-regex -- terminals speak in control characters */
/** CSI, OSC (ended by BEL or ST) and two-character escapes. */
const controlSequences =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[ -/]*[0-~]/g
const otherControls = /[\u0000-\u0008\u000b-\u001f\u007f]/g
/* eslint-enable no-control-regex */

/** A carriage return starts the line again; the one before a line feed belongs to the line end. */
function lastDrawing(line: string): string {
  const drawn = line.endsWith('\r') ? line.replace(/\r+$/, '') : line
  return drawn.slice(drawn.lastIndexOf('\r') + 1)
}
