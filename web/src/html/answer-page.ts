import { brandLink } from './components/mark.ts'
import { documentOf } from './document.ts'
import type { Assets } from './document.ts'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** The public pages that answer from our own measurements, by the first part of their path. */
const areas = {
  services: { path: '/services', name: 'Services' },
  internet: { path: '/internet', name: 'The internet' },
  weather: { path: '/weather', name: 'Weather' },
  docs: { path: '/docs', name: 'Docs' },
} as const

/**
 * A page that answers a question, for everybody: no session, and nothing is noted of who reads it.
 * @param page.url the address to cite; a page without one is for its reader alone and not indexed
 * @param page.forms where a program and an assistant read the same
 */
export const answerPage = (
  assets: Assets,
  page: {
    title: string
    /** The first heading, where it says more than the title. */
    heading?: Html
    description: string
    /** null: the page is above them all. */
    area: keyof typeof areas | null
    url?: string
    forms?: { json: string; markdown: string }
    main: Html
  },
): string =>
  documentOf(assets, {
    title: `${page.title} - Probe Mesh`,
    description: page.description,
    ...(page.url === undefined ? {} : { canonical: page.url }),
    ...(page.forms === undefined
      ? {}
      : {
          head: html`<link rel="alternate" type="text/markdown" href="${page.forms.markdown}" />
            <link rel="alternate" type="application/json" href="${page.forms.json}" />`,
        }),
    body: html`<body class="answers">
      <a class="skip" href="#main">Skip to the answer</a>
      <header>
        <div>
          ${brandLink('/')}
          <nav aria-label="Answers">
            <ul>
              ${Object.entries(areas).map(
                ([area, { path, name }]) =>
                  html`<li>
                    <a href="${path}" ${attribute('aria-current', area === page.area ? 'page' : null)}
                      >${name}</a
                    >
                  </li> `,
              )}
              <li><a href="/dashboard">Dashboard</a></li>
            </ul>
          </nav>
        </div>
      </header>
      <main id="main" tabindex="-1">
        <h1>${page.heading ?? page.title}</h1>
        ${page.main}
      </main>
      <footer>
        <div>
          <p>
            Probe Mesh says what its own probes measured, and what it has not measured it calls no data.
            <a href="/probes">Who probes, and from where</a>.
          </p>
          ${
            page.forms !== undefined &&
            html`<p>
              The same <a href="${page.forms.json}">as JSON</a> and
              <a href="${page.forms.markdown}">as Markdown</a>, without a key.
            </p>`
          }
        </div>
      </footer>
    </body>`,
  })
