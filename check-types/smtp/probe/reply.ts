/** One reply of a mail server (RFC 5321, 4.2): its code, and the text of each of its lines. */
export type Reply = { code: number; lines: readonly string[] }

/** Why a server's data is not a reply. */
export type ReplyFault = 'malformed' | 'line_too_long' | 'too_many_lines' | 'too_large'

/**
 * Four times the 512 bytes of RFC 5321, since servers exceed them; a whole reply is limited
 * further.
 */
export const replyBounds = { lineBytesMax: 2_048, linesMax: 100, replyBytesMax: 16 * 1024 } as const

/** The start of a reply. */
export type PartialReply = {
  readonly code: number | null
  readonly lines: readonly string[]
  /** The incomplete line. */
  readonly line: Buffer
  /** Bytes of the complete lines, line ends included. */
  readonly bytes: number
}

export const noReply: PartialReply = { code: null, lines: [], line: Buffer.alloc(0), bytes: 0 }

type Fed =
  | { kind: 'partial'; partial: PartialReply }
  /** `rest`: bytes after the reply, a view of the chunk: use or drop it at once. */
  | { kind: 'reply'; reply: Reply; rest: Buffer }
  | { kind: 'fault'; fault: ReplyFault; received: string }

const receivedBytesMax = 240
const lineFeed = 0x0a

/** RFC 5321, 4.2: `Reply-code = %x32-35 %x30-35 %x30-39`; the text may be missing altogether. */
const grammar = /^([2-5][0-5]\d)(?:([ -])(.*))?$/s

/**
 * Continues a reply from any split of the bytes. Keeps at most `replyBounds.replyBytesMax` bytes
 * and parses none beyond them. A bare LF also ends a line.
 */
export const feed = (partial: PartialReply, chunk: Buffer): Fed => {
  let { code, line, bytes } = partial
  const lines = [...partial.lines]
  let at = 0
  for (;;) {
    const lineEnd = chunk.indexOf(lineFeed, at)
    const { lineBytesMax, linesMax, replyBytesMax } = replyBounds
    const roomBytes = Math.max(0, Math.min(lineBytesMax, replyBytesMax - bytes))
    const piece = chunk.subarray(at, lineEnd === -1 ? chunk.length : lineEnd)
    if (line.length + piece.length > roomBytes) {
      const begun = Buffer.concat([line, piece.subarray(0, roomBytes + 1 - line.length)])
      const tooMuch = roomBytes < lineBytesMax ? 'too_large' : 'line_too_long'
      return faulty(/^[2-5][0-5]\d[ -]/.test(textOf(begun)) ? tooMuch : 'malformed', begun)
    }
    line = Buffer.concat([line, piece])
    if (lineEnd === -1) return { kind: 'partial', partial: { code, lines, line, bytes } }
    at = lineEnd + 1
    bytes += line.length + 1

    const [, digits, separator, text = ''] = grammar.exec(textOf(line).replace(/\r$/, '')) ?? []
    const codeHere = Number(digits)
    if (digits === undefined || (code ?? codeHere) !== codeHere) return faulty('malformed', line)
    code = codeHere
    lines.push(text)
    if (separator !== '-') return { kind: 'reply', reply: { code, lines }, rest: chunk.subarray(at) }
    if (lines.length === linesMax) return faulty('too_many_lines', line)
    line = noReply.line
  }
}

const textOf = (line: Buffer): string => line.toString('utf8')

const faulty = (fault: ReplyFault, line: Buffer): Fed => ({
  kind: 'fault',
  fault,
  received: textOf(line.subarray(0, receivedBytesMax)),
})

const extensionsMax = 40
const keywordCharactersMax = 40

/**
 * `ehlo-keyword` of RFC 5321, 4.1.1.1; some servers send `AUTH=LOGIN` as well as, or instead of,
 * `AUTH LOGIN`.
 */
const keyword = /^([a-z\d][a-z\d-]*)(?:[ =]|$)/i

/** The keywords in a reply to EHLO, upper case and unique: all lines except the greeting. */
export const extensionsOf = ({ lines }: Reply): string[] => {
  const keywords = lines.slice(1).flatMap((line) => keyword.exec(line)?.[1]?.toUpperCase() ?? [])
  return [...new Set(keywords)].filter((each) => each.length <= keywordCharactersMax).slice(0, extensionsMax)
}
