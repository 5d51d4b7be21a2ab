/**
 * Takes out of JSON text, as `JSON.stringify` writes it, what could steer the terminal or the model
 * that reads it, in strings and in keys alike: control characters other than tab, newline and
 * carriage return; escape sequences as a whole; what turns the direction of text; and what has no
 * width, except for the two joiners that letters of some scripts need (U+200C, U+200D); and tags
 * (U+E0000 to U+E007F), letters that nobody sees and a model reads.
 * Pure; text that has none of it is returned as it is (S-2510).
 */
export const cleanJson = (json: string): string => json.replace(unwanted, '')

/**
 * `JSON.stringify` escapes the controls below U+0020, quotes and backslashes, and leaves the rest.
 * So an escape begins at a backslash that an even number of them stands before: in `\\u001b` the
 * text says a backslash and five letters.
 */
const escapeBegins = String.raw`(?=\\[bfu])(?<=(?<!\\)(?:\\\\)*)\\`

/** The rest of a control sequence (ECMA-48 5.4), as far as it goes. */
const sequence = String.raw`[0-?]*(?:[ !#-\/]|\\")*(?:[@-\[\]-~]|\\\\)?`

/**
 * The rest of a control string (ECMA-48 5.6: OSC, DCS, SOS, PM, APC) to its end, or to the BEL that
 * terminals take for one. Within it nothing begins another one, so that each is read through once.
 */
const controlString = String.raw`(?:[^"\\\x80-\x9f]|\\(?!u001b|u0007).)*(?:\\u0007|\x9c|\\u001b\\\\)`

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
