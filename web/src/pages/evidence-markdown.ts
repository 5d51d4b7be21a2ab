import type { Asked, Evidence } from '@probe-mesh/contracts/outage/answers'
import { gradeWords, moreAsked } from '../html/asked-words.ts'
import { freshnessText, vantageWords } from '../html/how-read.ts'
import { markdownLine } from '../html/markdown.ts'

/** The evidence of an answer: a paragraph of Markdown and a list of probed addresses. */
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

/** The probed addresses of one service, within a line. */
export const askedOf = ({ probes }: Pick<Asked, 'probes'>): string =>
  probes.length === 0 ? 'nothing' : probes.map(({ url }) => linkTo(url)).join(' ')

/** A parsed address contains no closing bracket, so the link stays intact. */
export const linkTo = (url: string): string =>
  URL.canParse(url) ? `<${new URL(url).href}>` : markdownLine(url)

/** `2026-11-20 12:00:05 UTC` */
export const instantText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
