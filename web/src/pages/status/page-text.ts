import { publicFormats } from '@probe-mesh/contracts/status-page/words/formats'
import type { PublicFormats } from '@probe-mesh/contracts/status-page/words/formats'
import type { PublicWords } from '@probe-mesh/contracts/status-page/words/public-words'
import { localeOf, wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import { attribute, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import type { Page } from './brand.ts'

/** How a status page speaks: our words, dates and numbers in its language, and its owner's texts as they are. */
export type PageText = {
  words: PublicWords
  formats: PublicFormats
  /** The language of our words and of the document. */
  language: string
  /** A name or a title of the owner, whatever direction it is written in. */
  line(text: string): Html
  /** Paragraphs of the owner, as they were broken. */
  prose(text: string): Html
}

/** A page in a language that we have no words in has English ones; its owner's texts say their own language. */
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

/** The same as an age, such as `6s ago`, once islands/times.js runs. */
export const ago = ({ formats }: Pick<PageText, 'formats'>, instant: string): Html =>
  html`<time datetime="${instant}">${formats.instant(Date.parse(instant))}</time>`
