import { truncate, escapeMarkdown, type ChannelRequest, type OutgoingMessage } from './request.ts'

/** A workflow accepts 28 KB: these limits stay below it in any alphabet. */
const titleMax = 500
const textMax = 3_000
const factsMax = 10
const factCharactersMax = 200

/** An adaptive card in the envelope that a Teams workflow expects. */
export const formatTeams = (
  config: { webhookUrl: string },
  { message }: OutgoingMessage,
): ChannelRequest => ({
  url: config.webhookUrl,
  headers: {},
  body: JSON.stringify({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: truncate(escapeMarkdown(message.title), titleMax),
              weight: 'bolder',
              size: 'medium',
              wrap: true,
            },
            {
              type: 'TextBlock',
              text: truncate(escapeMarkdown(message.text), textMax),
              wrap: true,
            },
            {
              type: 'FactSet',
              facts: [...message.facts.slice(0, factsMax), { name: 'At', value: message.at }].map(
                ({ name, value }) => ({
                  title: truncate(escapeMarkdown(name), factCharactersMax),
                  value: truncate(escapeMarkdown(value), factCharactersMax),
                }),
              ),
            },
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'View details', url: message.url }],
        },
      },
    ],
  }),
})
