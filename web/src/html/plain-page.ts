import { documentOf } from './document.ts'
import type { Assets } from './document.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** A page of one column for whoever is not logged in: a form, or what became of a request. */
export const plainPage = (
  assets: Assets,
  { title, heading, main }: { title: string; heading?: Html; main: Html },
): string =>
  documentOf(assets, {
    title: `${title} - Probe Mesh`,
    body: html`<body>
      <main class="plain">
        <h1>${heading ?? title}</h1>
        ${main}
      </main>
    </body>`,
  })
