import { html, textOf, withBreaks } from '@probe-mesh/runtime/html'

/** The parts of a mail, rendered as plain text and as simple HTML. */
export type MailParts = {
  heading: string
  /** Name and value, one on a line. */
  facts?: readonly (readonly [string, string])[]
  body?: string
  link: { label: string; url: string }
  /** Why the reader gets this mail. */
  footer: string
  unsubscribe?: { label: string; url: string }
  /** The language of these parts, such as `de`. */
  language: string
}

/** A mail as text and HTML. User content is text in the HTML, never markup. */
export const frameMail = (parts: MailParts): { text: string; html: string } => ({
  text: frameText(parts),
  html: frameHtml(parts),
})

const frameText = ({ heading, facts = [], body, link, footer, unsubscribe }: MailParts) =>
  [
    heading,
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    body ?? '',
    `${link.label}: ${link.url}`,
    `-- \n${footer}${unsubscribe === undefined ? '' : `\n${unsubscribe.label}: ${unsubscribe.url}`}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n') + '\n'

const frameHtml = ({ heading, facts = [], body, link, footer, unsubscribe, language }: MailParts): string => {
  const shown = facts.map(
    ([name, value], at) => html`${at > 0 && html`<br /> `}${name}: <strong>${value}</strong>`,
  )
  return textOf(
    html`<!doctype html>
      <html lang="${language}">
        <head>
          <meta charset="utf-8" />
          <title>${heading}</title>
        </head>
        <body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem">
          <h1 style="font-size: 1.25rem">${heading}</h1>
          ${shown.length > 0 && html`<p>${shown}</p> `}${
            body !== undefined && html`<p>${withBreaks(body)}</p> `
          }
          <p><a href="${link.url}">${link.label}</a></p>
          <hr />
          <p>
            ${footer}${
              unsubscribe !== undefined &&
              html`<br />
                <a href="${unsubscribe.url}">${unsubscribe.label}</a>`
            }
          </p>
        </body>
      </html> `,
  )
}
