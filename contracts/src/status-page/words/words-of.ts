import { de } from './de.ts'
import { en } from './en.ts'
import { es } from './es.ts'
import { fr } from './fr.ts'
import { ja } from './ja.ts'
import type { PublicLanguage, PublicWords } from './public-words.ts'

const all: Readonly<Record<PublicLanguage, PublicWords>> = { en, de, fr, es, ja }

/** The words for a page's locale: `de-AT` gives German, a language without words English. */
export const wordsOf = (locale: string): PublicWords => {
  const [language = ''] = locale.split('-')
  return isKnown(language) ? all[language] : en
}

const isKnown = (language: string): language is PublicLanguage => Object.hasOwn(all, language)

/** The locale of numbers and dates: that of the page where its language has words, else English. */
export const localeOf = (locale: string): string => {
  const { language } = wordsOf(locale)
  return locale.split('-')[0] === language ? locale : language
}
