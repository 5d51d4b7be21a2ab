import type { InternetAnswer, SharedIncident } from '@probe-mesh/contracts/answers'
import { askedOf, instantText } from '../evidence-markdown.ts'
import { markdownLine } from '../status/markdown.ts'
import { answerMarkdown, markdownTable } from './answer-markdown.ts'
import { confidenceText, factorNames } from './incident-words.ts'
import { internetWords } from './weather-words.ts'

/** The answer as Markdown, for assistants and terminals: the same as the page, in the same words. */
export const internetMarkdown = (answer: InternetAnswer): string =>
  answerMarkdown(answer, {
    title: 'Is the internet down?',
    verdict: internetWords[answer.status].text,
    parts: answer.sharedIncident === null ? [] : incidentParts(answer.sharedIncident),
  })

const incidentParts = ({
  factor,
  members,
  measuredCount,
  regions,
  since,
  confidence,
}: SharedIncident): string[] => [
  '## What it is inferred from',
  [
    `- ${factorNames[factor.kind]}: ${markdownLine(factor.name)}`,
    `- Since: ${instantText(since)}`,
    `- Failed there: ${members.length} of ${measuredCount} services measured`,
    `- Seen from: ${regions.join(', ') || 'none'}`,
    `- Confidence: ${confidenceText(confidence)}`,
  ].join('\n'),
  'Services whose outages are the evidence:',
  markdownTable(
    ['Service', 'Failing since', 'Asked'],
    members.map((member) => [
      markdownLine(member.name),
      instantText(member.since),
      askedOf(member),
    ]),
  ),
]
