/** A host for links. A wildcard listen address becomes loopback. */
export const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

/** A URL, or null when the text is invalid. Replaces `URL.parse`, which Node 22.0 lacks. */
export const parseUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
