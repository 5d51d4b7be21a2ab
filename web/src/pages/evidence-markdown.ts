import type { Evidence } from '@probe-mesh/contracts/answers'
import { freshnessText, vantageWords } from '../html/how-read.ts'

/** What an answer stands on, as one paragraph of Markdown. */
export const evidenceMarkdown = ({
  regionsRead,
  measuredAt,
  freshness,
  vantage,
}: Evidence): string =>
  [
    `Regions read: ${regionsRead.length === 0 ? 'none' : regionsRead.join(', ')}.`,
    `Measured: ${measuredAt === null ? 'never' : instantText(measuredAt)}.`,
    `Freshness: ${freshnessText(freshness)}.`,
    `Measured from ${vantageWords[vantage]}.`,
  ].join(' ')

/** `2026-11-20 12:00:05 UTC` */
export const instantText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`
