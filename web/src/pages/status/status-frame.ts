import type { PublicHeadline } from '@probe-mesh/contracts/status-page/headline'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import { stateIconPath } from '../../html/components/state-icon.ts'
import { documentOf, type Assets } from '../../html/document.ts'
import { accentOf, logoImageOf, type Page } from './brand.ts'
import type { NamedComponents } from './incident-list.ts'
import { pageTextOf, type PageText } from './page-text.ts'
import { headlineLooks } from './status-words.ts'
import { subscribeMenu } from './subscribe-form.ts'

/** The style sheet of a page's accent colour. @param accent `rrggbb` */
const accentPath = (accent: string): string => `/assets/accent/${accent}.css`

/** `● Partial outage – Acme`, so the tab shows an outage at a glance. */
export const statusTitle = ({ level, text }: Pick<PublicHeadline, 'level' | 'text'>, page: Page): string => {
  const { words } = pageTextOf(page)
  // the text counts components without data; they are not an outage
  const said = level === 'operational' || level === 'no_data' ? text : words.headline.levels[level]
  return `${level === 'operational' || level === 'notice' ? '' : '● '}${said} – ${page.name}`
}

type Framed = {
  page: Page
  title: string
  /** Relative to the path of the page: empty for the page itself. */
  path: string
  main: Html
  /** The components that visitors can subscribe to. */
  components: NamedComponents
  /** The state of the page, which its icon shows. */
  level?: PublicHeadline['level']
  /** Confirms the copy in a browser; without it the page is not refreshed. */
  tag?: string
}

/** A status page in its owner's design and language. islands/fresh.js keeps `main` current. */
export const statusFrame = (
  assets: Assets,
  { page, title, path, main, components, level, tag }: Framed,
): string => {
  const text = pageTextOf(page)
  const { words, language } = text
  const accent = accentOf(page)
  const tone = level === undefined ? null : headlineLooks[level].tone
  return documentOf(assets, {
    title,
    language,
    ...(page.description === null ? {} : { description: page.description }),
    canonical: `${page.url}${path}`,
    ...(tone === null ? {} : { icon: stateIconPath(tone) }),
    head: html`${accent !== null && html`<link rel="stylesheet" href="${accentPath(accent)}" />`}
      <link rel="alternate" type="application/atom+xml" title="${page.name}" href="${page.path}/feed.atom" />
      <link rel="alternate" type="text/markdown" href="${page.path}${markdownOf(path)}" />`,
    card: openGraph(assets, page, { title, path, language }),
    paintsEarly: true,
    body: html`<body class="status ${page.themePreset} ${page.font}">
      <a class="skip" href="#main">${words.page.skip}</a>
      <header>
        <div class="masthead">
          <h1><a href="${page.path}">${wordmark(page, text)}</a></h1>
          ${subscribeMenu(page, components, text)}
        </div>
        ${path === '' && page.description !== null && text.prose(page.description)}
        ${
          page.links.length > 0 &&
          html`<nav aria-label="${words.page.links}">
            <ul>
              ${page.links.map(
                ({ label, url }) =>
                  html`<li>
                    <a href="${url}" rel="noopener nofollow ugc">${text.line(label)}</a>
                  </li> `,
              )}
            </ul>
          </nav>`
        }
      </header>
      <main id="main" tabindex="-1" ${attribute('data-fresh', tag ?? null)}>${main}</main>
      <p class="unseen" id="news" role="status"></p>
      <footer>
        <nav aria-label="${words.page.otherForms}">
          <ul>
            ${formsOf(path, text).map(
              ({ name, end, isHere }) =>
                html`<li>
                  <a href="${page.path}${end}" ${attribute('aria-current', isHere ? 'page' : null)}
                    >${name}</a
                  >
                </li> `,
            )}
          </ul>
        </nav>
        <p>
          <span id="zone" data-text="${words.page.timesIn('{zone}')}">${words.page.timesIn('UTC')}</span>
          <a href="/">${words.page.measuredBy}</a>
        </p>
      </footer>
    </body>`,
  })
}

/** The uploaded logo, or the name. */
const wordmark = (page: Page, text: PageText): Html => {
  const logo = logoImageOf(page)
  const size = page.uploadedLogo
  return logo === null
    ? text.line(page.name)
    : html`<img
        src="${logo.url}"
        alt="${page.name}"
        ${attribute('width', size?.width ?? null)}
        ${attribute('height', size?.height ?? null)}
        referrerpolicy="no-referrer"
      />`
}

/** The link preview on other sites. */
const openGraph = (
  { social }: Assets,
  page: Page,
  { title, path, language }: { title: string; path: string; language: string },
): Html => {
  const logo = logoImageOf(page)
  const image = new URL(logo?.url ?? social, page.url).href
  return html`<meta property="og:type" content="website" />
    <meta property="og:title" content="${title.replace(/^● /, '')}" />
    <meta property="og:site_name" content="${page.name}" />
    ${page.description !== null && html`<meta property="og:description" content="${page.description}" />`}
    <meta property="og:url" content="${page.url}${path}" />
    <meta property="og:locale" content="${language.replace('-', '_')}" />
    <meta property="og:image" content="${image}" />`
}

const isIncident = (path: string): boolean => path.startsWith('/incidents/')

/** The address of the Markdown form; the history has none. */
const markdownOf = (path: string): string => (isIncident(path) ? `${path}.md` : '.md')

const formsOf = (path: string, { words }: PageText) => {
  const own = isIncident(path) ? path : ''
  return [
    { name: words.page.status, end: '', isHere: path === '' },
    { name: words.page.history, end: '/history', isHere: path.startsWith('/history') },
    { name: 'Atom', end: '/feed.atom', isHere: false },
    { name: 'RSS', end: '/feed.rss', isHere: false },
    { name: words.page.calendar, end: '/maintenance.ics', isHere: false },
    { name: 'JSON', end: isIncident(path) ? `${own}.json` : '/page.json', isHere: false },
    { name: 'Markdown', end: `${own}.md`, isHere: false },
    { name: 'Badge', end: '/badge.svg', isHere: false },
  ]
}
