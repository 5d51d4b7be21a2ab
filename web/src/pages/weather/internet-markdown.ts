import type { InternetAnswer, SharedIncident, VendorOutage } from '@probe-mesh/contracts/outage/internet'
import { askedOf, instantText } from '../evidence-markdown.ts'
import { markdownLine } from '../../html/markdown.ts'
import { answerMarkdown, markdownTable } from './answer-markdown.ts'
import { confidenceText, factorNames, factorText } from './incident-words.ts'
import { internetWords } from './weather-words.ts'

/** The answer as Markdown, for assistants and terminals, in the same words as the page. */
export const internetMarkdown = (answer: InternetAnswer): string =>
  answerMarkdown(answer, {
    title: 'Is the internet down?',
    verdict: internetWords[answer.status].text,
    parts: [
      ...(answer.sharedIncident === null ? [] : incidentParts(answer.sharedIncident)),
      ...(answer.vendorOutage === null ? [] : vendorParts(answer.vendorOutage)),
    ],
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
    `- ${factorNames[factor.kind]}: ${markdownLine(factorText(factor))}`,
    `- Since: ${instantText(since)}`,
    `- Failed there: ${members.length} of ${measuredCount} services measured`,
    `- Seen from: ${regions.join(', ') || 'none'}`,
    `- Confidence: ${confidenceText(confidence)}`,
  ].join('\n'),
  'Services whose outages are the evidence:',
  membersTable(members),
]

const vendorParts = ({ vendor, members, measuredCount, regions, since }: VendorOutage): string[] => [
  '## One vendor',
  [
    `- Vendor: ${markdownLine(vendor)}`,
    `- Since: ${instantText(since)}`,
    `- Of its services fail: ${members.length} of ${measuredCount} measured`,
    `- Seen from: ${regions.join(', ') || 'none'}`,
  ].join('\n'),
  membersTable(members),
]

const membersTable = (members: SharedIncident['members']): string =>
  markdownTable(
    ['Service', 'Failing since', 'Asked'],
    members.map((member) => [markdownLine(member.name), instantText(member.since), askedOf(member)]),
  )
