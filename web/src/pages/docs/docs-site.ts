import { endpointsOf, type Endpoint, type OpenApi } from '../../api/open-api.ts'
import { addressOf, guides, type Guide } from './guide-list.ts'
import { readMarkdown, type Link, type Read } from './markdown-view.ts'

/** Operations about one noun. */
export type ApiGroup = {
  /** The last part of its address, `/docs/api/<name>`. */
  name: string
  title: string
  about: string
  endpoints: readonly Endpoint[]
}

/** All content of the documentation, read once. */
export type DocsSite = {
  /** Root of the site, such as `https://mesh.example.com`. */
  url: string
  /** Root of the REST API. */
  apiUrl: string
  /** The gateway's endpoints are below it; null when it is not configured. */
  mcpUrl: string | null
  api: OpenApi
  groups: readonly ApiGroup[]
  guides: readonly ReadGuide[]
}

type ReadGuide = Guide & Read

export type Addresses = { apiUrl: string; mcpUrl: string | null }

/** @param texts of the guides, by file */
export const docsSite = (
  api: OpenApi,
  texts: Readonly<Record<string, string>>,
  { apiUrl, mcpUrl }: Addresses,
): DocsSite => {
  const url = apiUrl.replace(/\/v1$/, '')
  const endpoints = endpointsOf(api)
  return {
    url,
    apiUrl,
    mcpUrl,
    api,
    groups: api.tags.map(({ name, description }) => ({
      name,
      title: titleOf(name),
      about: description,
      endpoints: endpoints.filter(({ operation }) => operation.tags[0] === name),
    })),
    guides: guides.map((guide) => ({
      ...guide,
      ...readMarkdown(ofThisSite(texts[guide.file] ?? '', { url, mcpUrl }), (href) =>
        linkOf(guide.file, href),
      ),
    })),
  }
}

/** Titles for nouns that are unclear on their own. */
const titles: Readonly<Record<string, string>> = {
  errors: 'Error tracking',
  agents: 'Private agents',
  outages: 'Is it down?',
}

const titleOf = (name: string): string => {
  const words = name.replaceAll('-', ' ')
  return titles[name] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** Guides name a server on the reader's machine; on the web that becomes this site, with the reader's key. */
const ofThisSite = (text: string, { url, mcpUrl }: { url: string; mcpUrl: string | null }): string =>
  text
    .replaceAll(/\$\(node -p 'require\("\.\/\.data\/credentials\.json"\)\.apiKey'\)/g, '<your API key>')
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll('http://127.0.0.1:8081', mcpUrl ?? 'http://127.0.0.1:8081')

/** The web address of a guide's link; null: its target is not on the web. */
const linkOf = (file: string, href: string): Link | null => {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return { path: href, title: null }
  const { pathname, hash } = new URL(href, `file:///${file}`)
  const address = addressOf(pathname.slice(1).replace(/\/$/, ''))
  return address === null ? null : { path: address.path + hash, title: address.title }
}

/** The length of a title that fits one or two lines of the navigation, characters. */
const titleMax = 56

/** The title of an operation: its summary up to the first full stop. */
export const titleOfOperation = ({ operation }: Endpoint): string => {
  const [clause = ''] = operation.summary.split(/[;:]/)
  return clause.length > titleMax ? (clause.split(',')[0] ?? clause) : clause
}
