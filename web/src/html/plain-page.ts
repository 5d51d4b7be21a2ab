import { documentOf, type Assets } from './document.ts'
import { siteFooter, siteHeader } from './site-frame.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** A page of one card, without a session: a form, or the outcome of a request. */
export const plainPage = (
  assets: Assets,
  { title, heading, main }: { title: string; heading?: Html; main: Html },
): string =>
  documentOf(assets, {
    title: `${title} - Probe Mesh`,
    body: html`<body class="site plain-page">
      <a class="skip" href="#main">Skip to the content</a>
      ${siteHeader(null)}
      <main id="main" tabindex="-1">
        <section class="card">
          <h1>${heading ?? title}</h1>
          ${main}
        </section>
      </main>
      ${siteFooter({})}
    </body>`,
  })
