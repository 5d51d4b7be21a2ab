import { answerPage } from '../../html/answer-page.ts'
import { icon } from '../../html/components/icon.ts'
import type { Assets } from '../../html/document.ts'
import { attribute, flag, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import type { DocsSite } from './docs-site.ts'
import { guideGroups } from './guide-list.ts'

/** A heading of a page in the navigation. */
export type PagePart = { id: string; title: string }

/** A page of the documentation, with links to all others. */
export const docsPage = (
  assets: Assets,
  site: DocsSite,
  page: {
    title: string
    description: string
    /** Such as `/docs/api`. */
    path: string
    parts?: readonly PagePart[]
    main: Piece
  },
): string =>
  answerPage(assets, {
    title: page.title,
    description: page.description,
    area: 'docs',
    url: site.url + page.path,
    main: html`<aside class="docs-side">
        ${page.path !== '/docs' && docsSearch('')}
        <nav class="docs-nav" aria-label="Documentation" data-unless-found>${ways(site, page)}</nav>
        <details class="docs-menu">
          <summary>${icon('menu')} Documentation</summary>
          <nav aria-label="Documentation menu">${ways(site, page)}</nav>
        </details>
      </aside>
      <div class="docs">${page.main}</div>`,
  })

/**
 * Finds guides, operations, codes and tools. Without a script it submits to the hub; islands/docs.js shows
 * matches while typing.
 */
export const docsSearch = (typed: string): Html =>
  html`<form class="docs-search" role="search" method="get" action="/docs" data-module="/module#docs">
    <label class="unseen" for="docs-q">Search the documentation</label>
    ${icon('search')}
    <input
      id="docs-q"
      name="q"
      type="search"
      maxlength="${typedMax}"
      autocomplete="off"
      placeholder="Search"
      value="${typed}"
    />
    <button type="submit">Search</button>
  </form>`

/** The limit of a search text, characters. */
export const typedMax = 100

type Way = { path: string; title: string }

/** Links to all pages, by group; the group of the current page is open. */
const ways = (site: DocsSite, page: { path: string; parts?: readonly PagePart[] }): Html => {
  const [use, automate, ...more] = guideGroups.map(({ title, guides }) => ({
    title,
    entries: guides.map((guide) => ({ path: `/docs/${guide.slug}`, title: guide.title })),
  }))
  const api = {
    title: 'API reference',
    entries: [
      { path: '/docs/api', title: 'Requests and answers' },
      ...site.groups.map(({ name, title }) => ({ path: `/docs/api/${name}`, title })),
      { path: '/docs/errors', title: 'Error codes' },
      { path: '/docs/mcp-tools', title: 'MCP tools' },
    ],
  }
  const groups: readonly ({ title: string; entries: readonly Way[] } | undefined)[] = [
    use,
    automate,
    api,
    ...more,
  ]
  return html`<ul>
      ${way({ path: '/docs', title: 'Overview' }, page)}
    </ul>
    ${groups.map((group) => {
      if (group === undefined) return null
      const isOpen = page.path === '/docs' || group.entries.some(({ path }) => path === page.path)
      return html`<details ${flag('open', isOpen)}>
        <summary>${group.title}</summary>
        <ul>
          ${group.entries.map((entry) => way(entry, page))}
        </ul>
      </details>`
    })}`
}

const way = (
  { path, title }: Way,
  { path: current, parts = [] }: { path: string; parts?: readonly PagePart[] },
): Html => {
  const isCurrent = path === current
  return html`<li>
    <a href="${path}" ${attribute('aria-current', isCurrent ? 'page' : null)}>${title}</a>
    ${
      isCurrent &&
      parts.length > 1 &&
      html`<ul>
        ${parts.map((part) => html`<li><a href="#${part.id}">${part.title}</a></li>`)}
      </ul>`
    }
  </li>`
}
