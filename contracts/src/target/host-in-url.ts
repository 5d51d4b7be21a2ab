/** An address that listens everywhere is none to call: what goes into links is this machine's own. */
export const hostInUrl = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
