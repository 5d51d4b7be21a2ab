import { documentOf } from '../../html/document.ts'
import type { Assets } from '../../html/document.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { accentOf, logoImageOf } from './brand.ts'
import type { Page } from './brand.ts'
import { ownTextOf } from './own-text.ts'

/** Where the style sheet of a page's own colour is. @param accent `rrggbb` */
export const accentPath = (accent: string): string => `/assets/accent/${accent}.css`

/**
 * A status page as its owner dressed it. The document is in the page's language and our own words,
 * which are English, are marked as such, so that both are read out right (WCAG 2.2, 3.1.2).
 */
export const statusFrame = (
  assets: Assets,
  { page, title, path, main }: { page: Page; title: string; path: string; main: Html },
): string => {
  const { name } = page
  const logo = logoImageOf(page)
  const accent = accentOf(page)
  const own = ownTextOf(page)
  return documentOf(assets, {
    title,
    language: page.locale,
    ...(page.description === null ? {} : { description: page.description }),
    canonical: `${page.url}${path}`,
    head: html`${accent !== null && html`<link rel="stylesheet" href="${accentPath(accent)}" />`}
      <link rel="alternate" type="application/atom+xml" title="${name}" href="${page.path}/feed.atom" />
      <link rel="alternate" type="text/markdown" href="${page.path}.md" />`,
    body: html`<body class="status ${page.themePreset} ${page.font}" lang="en">
      <a class="skip" href="#main">Skip to the content</a>
      <header>
        ${logo !== null && html`<img src="${logo.url}" alt="" referrerpolicy="no-referrer" />`}
        <h1>${own.line(name)}</h1>
        ${page.description !== null && own.prose(page.description)}
        ${
          page.links.length > 0 &&
          html`<nav aria-label="Links">
            <ul>
              ${page.links.map(
                ({ label, url }) =>
                  html`<li>
                    <a href="${url}" rel="noopener nofollow ugc">${own.line(label)}</a>
                  </li> `,
              )}
            </ul>
          </nav>`
        }
      </header>
      <main id="main" tabindex="-1">${main}</main>
      <footer>
        <nav aria-label="Other forms of this page">
          <ul>
            ${formsOf(page).map(
              ({ text, href, isHere }) =>
                html`<li>
                  <a href="${href}" ${attribute('aria-current', isHere(path) ? 'page' : null)}>${text}</a>
                </li> `,
            )}
          </ul>
        </nav>
        <p>Measured by Probe Mesh.</p>
        <p id="zone">Times are in UTC.</p>
      </footer>
    </body>`,
  })
}

const formsOf = ({ path }: Page) => [
  { text: 'Status', href: path, isHere: (here: string) => here === '' },
  {
    text: 'History',
    href: `${path}/history`,
    isHere: (here: string) => here.startsWith('/history'),
  },
  ...[
    ['Atom feed', '/feed.atom'],
    ['RSS feed', '/feed.rss'],
    ['Badge', '/badge.svg'],
    ['JSON', '/page.json'],
    ['Markdown', '.md'],
  ].map(([text = '', end = '']) => ({ text, href: `${path}${end}`, isHere: () => false })),
]
