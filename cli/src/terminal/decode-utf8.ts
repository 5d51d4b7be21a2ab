/** @throws where the bytes are not UTF-8 */
export const decodeUtf8 = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new Error('is not UTF-8 text', { cause })
  }
}
