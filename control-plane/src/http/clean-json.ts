/**
 * Removes characters from JSON text, as `JSON.stringify` writes it, that could control a terminal or a model, in
 * strings and keys (S-2510). Text without them is returned unchanged. Removed are:
 * - control characters other than tab, newline and carriage return
 * - whole escape sequences
 * - characters that change the direction of text
 * - characters without width, except the joiners of some scripts (U+200C, U+200D)
 * - tags (U+E0000 to U+E007F), which are invisible to people and readable for a model
 */
export const cleanJson = (json: string): string => json.replace(unwanted, '')

/**
 * `JSON.stringify` escapes controls below U+0020, quotes and backslashes, and nothing else. So an escape begins
 * at a backslash after an even number of backslashes: `\\u001b` is a backslash and five letters.
 */
const escapeBegins = String.raw`(?=\\[bfu])(?<=(?<!\\)(?:\\\\)*)\\`

/** The rest of a control sequence (ECMA-48 5.4), as far as it goes. */
const sequence = String.raw`[0-?]*(?:[ !#-\/]|\\")*(?:[@-\[\]-~]|\\\\)?`

/**
 * The rest of a control string (ECMA-48 5.6: OSC, DCS, SOS, PM, APC) to its end, or to a BEL, which terminals
 * accept as the end. It cannot contain another one, so each is read once.
 */
const controlString = String.raw`(?:[^"\\\x80-\x9f]|\\(?!u001b|u0007).)*(?:\\u0007|\x9c|\\u001b\\\\)`

// linear: what begins a sequence does not occur in one
const unwanted = new RegExp(
  [
    String.raw`${escapeBegins}(?:u001b(?:\[${sequence}|[\]PX^_]${controlString})?|[bf]|u00[01].)`,
    String.raw`\x9b${sequence}`,
    String.raw`[\x90\x98\x9d-\x9f]${controlString}`,
    String.raw`\udb40[\udc00-\udc7f]`,
    String.raw`[\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]`,
  ].join('|'),
  'g',
)
