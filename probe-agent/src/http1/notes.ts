/**
 * Violations of the grammar (RFC 9112) that browsers accept: recorded with the reading, without effect on the
 * verdict.
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
  nameCharacters: 'invalid characters in a header name',
  valueCharacters: 'a control character in a header value',
  lengthTwice: 'more than one Content-Length',
  lengthNotNumber: 'a Content-Length that is not a number, which is ignored',
  lengthAndCoding: 'both Content-Length and Transfer-Encoding',
  chunkSize: 'characters after the size of a chunk',
} as const
export type Leniency = keyof typeof leniencies

/** Called with each violation that was accepted; null: none is accepted. */
export type Tolerate = ((what: Leniency) => void) | null
