/**
 * What a browser reads although the strict grammar (RFC 9112) refuses it: no verdict, but a note on
 * the reading.
 */
export const leniencies = {
  statusLine: 'the status line is not valid',
  bytesBefore: 'bytes before the status line',
  lineFeed: 'lines that end in LF alone',
  carriageReturn: 'a CR inside a line',
  folded: 'a folded header',
  noColon: 'a header line without a colon',
  noName: 'a header without a name',
  spaceBeforeColon: 'a space before the colon of a header, which is ignored',
  nameCharacters: 'characters in a header name that may not stand there',
  valueCharacters: 'a control character in a header value',
  lengthTwice: 'Content-Length more than once',
  lengthNotNumber: 'a Content-Length that is no number, which is ignored',
  lengthAndCoding: 'Content-Length beside Transfer-Encoding',
  chunkSize: 'characters behind the size of a chunk',
} as const
export type Leniency = keyof typeof leniencies

/** Told of each leniency that was needed; null: nothing is tolerated. */
export type Tolerate = ((what: Leniency) => void) | null
