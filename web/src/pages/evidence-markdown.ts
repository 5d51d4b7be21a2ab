import type { Asked, Evidence } from '@probe-mesh/contracts/outage/answers'
import { gradeWords, moreAsked } from '../html/asked-words.ts'
import { freshnessText, vantageWords } from '../html/how-read.ts'
import { markdownLine } from '../html/markdown.ts'

/** What an answer stands on, as a paragraph of Markdown and a list of what was asked. */
export const evidenceMarkdown = (evidence: Evidence & Asked): string => {
  const asked = askedMarkdown(evidence)
  return asked === '' ? readMarkdown(evidence) : `${readMarkdown(evidence)}\n\n${asked}`
}

const readMarkdown = ({ regionsRead, measuredAt, freshness, vantage }: Evidence): string =>
  [
    `Regions read: ${regionsRead.length === 0 ? 'none' : regionsRead.join(', ')}.`,
    `Measured: ${measuredAt === null ? 'never' : instantText(measuredAt)}.`,
    `Freshness: ${freshnessText(freshness)}.`,
    `Measured from ${vantageWords[vantage]}.`,
  ].join(' ')

const askedMarkdown = (asked: Asked): string => {
  if (asked.probes.length === 0) return ''
  const lines = asked.probes.map(({ url, grade }) => `- ${linkTo(url)} (${gradeWords[grade]})`)
  const more = moreAsked(asked)
  return ['Asked:', '', ...lines, ...(more === null ? [] : [`- ${more}`])].join('\n')
}

/** The addresses that were asked of one service of several, within a line. */
export const askedOf = ({ probes }: Pick<Asked, 'probes'>): string =>
  probes.length === 0 ? 'nothing' : probes.map(({ url }) => linkTo(url)).join(' ')

/** As a parser writes an address, nothing in it ends the brackets. */
export const linkTo = (url: string): string =>
  URL.canParse(url) ? `<${new URL(url).href}>` : markdownLine(url)

/** `2026-11-20 12:00:05 UTC` */
export const instantText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
