/** An address that listens everywhere is none to call: what goes into links is this machine's own. */
export const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** A URL, or null where the text is none: `URL.parse`, which Node 22.0 has not. */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
