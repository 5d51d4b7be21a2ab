/** RFC 1035 4.1.1: identification, flags and four counts of 16 bits. */
const headerBytes = 12
const typeA = 1
/** Type and class, after the name. */
const questionTailBytes = 4

/** A successful response to a recursive query. */
const flags = 0x8180
/** A pointer to the name in the question; type A, class IN, 60 s, four bytes. */
const answerHead = Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 60, 0, 4])
const loopback = Buffer.from([127, 0, 0, 1])
/** The zone's SOA, which resolvers send with an absence (RFC 2308 3): names of the root, five numbers of 900. */
const authority = Buffer.concat([
  Buffer.from([0xc0, headerBytes, 0, 6, 0, 1, 0, 0, 3, 132, 0, 22, 0, 0]),
  ...Array.from({ length: 5 }, () => Buffer.from([0, 0, 3, 132])),
])
const silentLabel = Buffer.from('\u0006silent')

/**
 * Answers one DNS query: every name has the address 127.0.0.1 and no other record.
 * @returns null for a name with the label `silent`, and for invalid queries
 */
export const answerName = (query: Buffer): Buffer | null => {
  let at = headerBytes
  while (at < query.length && query[at] !== 0) at += 1 + (query[at] ?? 0)
  const end = at + 1 + questionTailBytes
  if (end > query.length) return null
  const question = query.subarray(headerBytes, end)
  if (question.includes(silentLabel)) return null
  const isA = query.readUInt16BE(at + 1) === typeA
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(query.readUInt16BE(0), 0)
  header.writeUInt16BE(flags, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(isA ? 1 : 0, 6)
  header.writeUInt16BE(isA ? 0 : 1, 8)
  return Buffer.concat([header, question, ...(isA ? [answerHead, loopback] : [authority])])
}
