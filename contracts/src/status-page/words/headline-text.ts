import type { HeadlineLevel } from '../headline.ts'
import type { PublicWords } from './public-words.ts'

/** What the sentence of a headline is made of. */
export type HeadlineSubject = {
  level: HeadlineLevel
  /** The title of the incident that decides; null: measurements or maintenance do. */
  incidentTitle: string | null
  /** The names of the components that the level is about. */
  names: readonly string[]
  /** All components of the page. */
  total: number
  /** Those without current data. */
  unmeasured: number
}

/** More components than this are counted. */
const namesMax = 3

/** The headline in words. It never calls all systems operational while one has no data. */
export const headlineText = ({ headline: words }: PublicWords, subject: HeadlineSubject): string => {
  const { level, unmeasured } = subject
  const first = firstPart(words, subject)
  const isSaid = unmeasured === 0 || (level === 'no_data' && unmeasured === subject.total)
  return isSaid ? first : words.sentences(first, words.noDataFor(unmeasured))
}

const firstPart = (words: PublicWords['headline'], subject: HeadlineSubject): string => {
  const { level, incidentTitle, names, total, unmeasured } = subject
  const text = words.levels[level]
  if (incidentTitle !== null) return words.about(text, incidentTitle)
  switch (level) {
    case 'no_data':
      if (total === 0) return words.nothingPublished
      return unmeasured < total ? words.allMeasured : text
    case 'operational':
    case 'notice':
    case 'major_outage':
      return text
    case 'maintenance':
    case 'degraded':
    case 'partial_outage':
      if (names.length === 0 || names.length === total) return text
      return words.about(text, names.length > namesMax ? words.components(names.length) : words.list(names))
    default:
      return level satisfies never
  }
}
