import { brandLink } from './components/mark.ts'
import { documentOf } from './document.ts'
import type { Assets } from './document.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** A page of one column, without a session: a form, or the outcome of a request. */
export const plainPage = (
  assets: Assets,
  { title, heading, main }: { title: string; heading?: Html; main: Html },
): string =>
  documentOf(assets, {
    title: `${title} - Probe Mesh`,
    body: html`<body class="plain-page">
      <header>${brandLink('/')}</header>
      <main class="plain">
        <h1>${heading ?? title}</h1>
        ${main}
      </main>
    </body>`,
  })
