import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { isForeign } from './brand.ts'
import type { Page } from './brand.ts'

/** How a page's owner is quoted on it: in the language of the page, beside our own words. */
export type OwnText = {
  /** A name or a title, whatever direction it is written in. */
  line(text: string): Html
  /** Paragraphs, as they were broken. */
  prose(text: string): Html
}

export const ownTextOf = (page: Pick<Page, 'locale'>): OwnText => {
  const language = attribute('lang', isForeign(page) ? page.locale : null)
  return {
    line: (text) => html`<bdi${language}>${text}</bdi>`,
    prose: (text) => html`<p class="prose" dir="auto" ${language}>${text}</p>`,
  }
}
