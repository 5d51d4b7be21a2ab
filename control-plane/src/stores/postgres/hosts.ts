const attribute = /(?<=[?&])target_session_attrs=[^&]*&?/
const form = /^(?<start>postgres(?:ql)?:\/\/(?:[^/?#@]*@)*)(?<hosts>[^/?#@]*)(?<rest>.*)/s

/**
 * The URLs of the servers that `postgres://user:password@host:port,host:port/database` names, one for each.
 */
export const urlsOfHosts = (url: string): string[] => {
  const { start = '', hosts = '', rest = '' } = form.exec(url)?.groups ?? {}
  return hosts.split(',').map((host) => start + host + rest.replace(attribute, ''))
}

/** Whether the server that accepts writes must be found: the URL names several, or asks for it. */
export const namesSeveral = (url: string): boolean =>
  (form.exec(url)?.groups?.['hosts'] ?? '').includes(',') || attribute.test(url)

/**
 * Host and port of a URL with an IPv6 address, for the driver, which cuts a URL's host at its colons. Of other URLs
 * nothing: the driver reads them.
 */
export const ofIpv6 = (url: string): object => {
  const [, host, port = '5432'] =
    /^\[([0-9a-fA-F:.]+)\](?::(\d+))?$/.exec(form.exec(url)?.groups?.['hosts'] ?? '') ?? []
  return host === undefined ? {} : { host: [host], port: [Number(port)] }
}
