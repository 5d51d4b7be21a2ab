const lengthBytes = 2

/** A message with its length in front, as TCP carries it (RFC 7766 8). */
export const framed = (message: Buffer): Buffer => {
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt16BE(message.length)
  return Buffer.concat([length, message])
}

/** Collects the first message of a connection; its length limits it to 64 KB. */
export const createFrameReader = (): {
  /** Octets received so far. */
  readonly bytes: number
  /** @returns the message once it is complete, else null */
  push(chunk: Buffer): Buffer | null
} => {
  const chunks: Buffer[] = []
  let bytes = 0
  let end = lengthBytes
  return {
    get bytes() {
      return bytes
    },
    push: (chunk) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes < end) return null
      if (end === lengthBytes) end += Buffer.concat(chunks).readUInt16BE(0)
      return bytes < end ? null : Buffer.concat(chunks).subarray(lengthBytes, end)
    },
  }
}
