import type { Endpoint, OpenApi } from '../../api/open-api.ts'
import { endpointsOf } from '../../api/open-api.ts'
import { addressOf, guides } from './guide-list.ts'
import type { Guide } from './guide-list.ts'
import { readMarkdown } from './markdown-view.ts'
import type { Link, Read } from './markdown-view.ts'

/** Operations about one noun. */
export type ApiGroup = {
  /** The last part of its address, `/docs/api/<name>`. */
  name: string
  title: string
  about: string
  endpoints: readonly Endpoint[]
}

/** All that the pages of the documentation show, read once. */
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

export type ReadGuide = Guide & Read

export type Addresses = { apiUrl: string; mcpUrl: string | null }

/** @param texts of the guides, by their file */
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

/** Nouns whose bare name says too little. */
const titles: Readonly<Record<string, string>> = {
  errors: 'Error tracking',
  agents: 'Private agents',
  outages: 'Is it down?',
}

const titleOf = (name: string): string => {
  const words = name.replaceAll('-', ' ')
  return titles[name] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

/** A guide speaks of a server on the reader's machine; on the web that is this one, and the key is the reader's own. */
const ofThisSite = (text: string, { url, mcpUrl }: { url: string; mcpUrl: string | null }): string =>
  text
    .replaceAll(/\$\(node -p 'require\("\.\/\.data\/credentials\.json"\)\.apiKey'\)/g, '<your API key>')
    .replaceAll('http://127.0.0.1:8080', url)
    .replaceAll('http://127.0.0.1:8081', mcpUrl ?? 'http://127.0.0.1:8081')

/** Where a link of a guide leads on the web; null: what it leads to is not on the web. */
const linkOf = (file: string, href: string): Link | null => {
  if (/^(https?:|mailto:|#|\/)/.test(href)) return { path: href, title: null }
  const { pathname, hash } = new URL(href, `file:///${file}`)
  const address = addressOf(pathname.slice(1).replace(/\/$/, ''))
  return address === null ? null : { path: address.path + hash, title: address.title }
}

/** Characters of a title that stays on a line or two of the navigation. */
const titleMax = 56

/** What an operation does, in one clause: its summary up to the first stop. */
export const titleOfOperation = ({ operation }: Endpoint): string => {
  const [clause = ''] = operation.summary.split(/[;:]/)
  return clause.length > titleMax ? (clause.split(',')[0] ?? clause) : clause
}
