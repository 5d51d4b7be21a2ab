import { publicFormats, type PublicFormats } from '@probe-mesh/contracts/status-page/words/formats'
import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
import { localeOf, wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import type { Page } from './brand.ts'

/**
 * The texts of a status page: our words, dates and numbers in its language, and its owner's texts unchanged.
 */
export type PageText = {
  words: PublicWords
  formats: PublicFormats
  /** The language of our words and of the document. */
  language: string
  /** A name or a title of the owner, in any writing direction. */
  line(text: string): Html
  /** The owner's paragraphs, with their line breaks. */
  prose(text: string): Html
}

/** A page in a language without translations uses English; its owner's texts keep their own language. */
export const pageTextOf = ({ locale }: Pick<Page, 'locale'>): PageText => {
  const words = wordsOf(locale)
  const own = attribute('lang', locale.split('-')[0] === words.language ? null : locale)
  return {
    words,
    formats: publicFormats(locale),
    language: localeOf(locale),
    line: (text) => html`<bdi${own}>${text}</bdi>`,
    prose: (text) => html`<p class="prose" dir="auto" ${own}>${text}</p>`,
  }
}

/** Date and time; islands/times.js shows them in the reader's zone. */
export const when = ({ formats }: Pick<PageText, 'formats'>, instant: string): Html =>
  html`<time datetime="${instant}" data-exact="short">${formats.instant(Date.parse(instant))}</time>`

/** The same; islands/times.js shows it as an age such as `6s ago`. */
export const ago = ({ formats }: Pick<PageText, 'formats'>, instant: string): Html =>
  html`<time datetime="${instant}">${formats.instant(Date.parse(instant))}</time>`
