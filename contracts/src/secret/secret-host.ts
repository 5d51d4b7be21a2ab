/**
 * Where a secret may be sent, as an entry of its list: `api.example.com` is https on port 443, `api.example.com:8443`
 * another port, `http://api.example.com` http on port 80. `*.` before a name stands for all names below it.
 */
type Entry = { scheme: 'http' | 'https'; host: string; port: string }

/** The default port of a scheme. */
const portOf = { http: '80', https: '443' } as const

/** The parts of an entry. */
export const partsOfEntry = (entry: string): Entry => {
  const [, named, host = '', port] = /^(?:(https?):\/\/)?(.*?)(?::(\d+))?$/.exec(entry) ?? []
  const scheme = named === 'http' ? 'http' : 'https'
  return { scheme, host, port: port === undefined ? portOf[scheme] : String(Number(port)) }
}

/** The shortest text of an entry, so that equal entries are equal texts. */
export const entryOfParts = ({ scheme, host, port }: Entry): string =>
  `${scheme === 'http' ? 'http://' : ''}${host}${port === portOf[scheme] ? '' : `:${port}`}`

/** The narrowest entry that lets a secret be sent to a URL. */
export const entryOf = (url: URL): string => entryOfParts(partsOfUrl(url))

/** The entries of a list that let a secret be sent to a URL. */
export const entriesFor = (entries: readonly string[], url: URL): string[] =>
  isWeb(url) ? entries.filter((entry) => covers(partsOfEntry(entry), partsOfUrl(url))) : []

/** Whether a secret may be sent to a URL. */
export const maySendTo = (entries: readonly string[], url: URL): boolean =>
  entriesFor(entries, url).length > 0

/** The entries of a list that allow more than another list. */
export const hostsBeyond = (entries: readonly string[], allowed: readonly string[]): string[] =>
  entries.filter((entry) => !allowed.some((one) => covers(partsOfEntry(one), partsOfEntry(entry))))

/**
 * Whether an entry from before schemes were bound covers a URL: a host without a port stood for each port, with and
 * without TLS.
 */
export const unboundCovers = (entry: string, url: URL): boolean => {
  const { host, port } = partsOfUrl(url)
  const unbound = /^(.*?)(?::(\d+))?$/.exec(entry)
  return (unbound?.[2] ?? port) === port && coversHost(unbound?.[1] ?? '', host)
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:'

const partsOfUrl = ({ protocol, hostname, port }: URL): Entry => {
  const scheme = protocol === 'http:' ? 'http' : 'https'
  return { scheme, host: hostname, port: port === '' ? portOf[scheme] : port }
}

const covers = (one: Entry, other: Entry): boolean =>
  one.scheme === other.scheme && one.port === other.port && coversHost(one.host, other.host)

const coversHost = (one: string, other: string): boolean =>
  one === other || (one.startsWith('*.') && other.endsWith(one.slice(1)))
