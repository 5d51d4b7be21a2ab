/** @param source what the bytes are of, for the message. @throws where they are not UTF-8 */
export const decodeUtf8 = (bytes: Uint8Array, source: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Error(`${source} is not UTF-8 text`, { cause })
  }
}
