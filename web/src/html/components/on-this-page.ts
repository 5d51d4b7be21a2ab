import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** Links to the sections of a long page, in order; keys are the ids of the headings. */
export const onThisPage = (parts: Readonly<Record<string, string>>): Html =>
  html`<nav class="on-page" aria-label="On this page">
    <ul>
      ${Object.entries(parts).map(([id, name]) => html`<li><a href="#${id}">${name}</a></li> `)}
    </ul>
  </nav>`

/** The heading of one section. */
export const partHeading = <P extends string>(parts: Readonly<Record<P, string>>, id: P): Html =>
  html`<h2 id="${id}">${parts[id]}</h2>`
