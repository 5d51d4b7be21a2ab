import { escapeHtml, escapeLines } from '@probe-mesh/runtime/escape-html'

/** The parts of a mail, rendered as plain text and as simple HTML. */
export type MailParts = {
  heading: string
  /** Name and value, one on a line. */
  facts?: readonly (readonly [string, string])[]
  body?: string
  link: { label: string; url: string }
  /** Why the reader gets this mail. */
  footer: string
  unsubscribeUrl?: string
}

/** A mail as text and HTML. User content is text in the HTML, never markup. */
export const frameMail = (parts: MailParts): { text: string; html: string } => ({
  text: frameText(parts),
  html: frameHtml(parts),
})

const frameText = ({ heading, facts = [], body, link, footer, unsubscribeUrl }: MailParts) =>
  [
    heading,
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    body ?? '',
    `${link.label}: ${link.url}`,
    `-- \n${footer}${unsubscribeUrl === undefined ? '' : `\nUnsubscribe: ${unsubscribeUrl}`}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n') + '\n'

const frameHtml = ({ heading, facts = [], body, link, footer, unsubscribeUrl }: MailParts) =>
  `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escapeHtml(heading)}</title></head>
<body style="font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem">
<h1 style="font-size: 1.25rem">${escapeHtml(heading)}</h1>
${facts.length === 0 ? '' : `<p>${facts.map(([name, value]) => `${escapeHtml(name)}: <strong>${escapeHtml(value)}</strong>`).join('<br>\n')}</p>\n`}${
    body === undefined ? '' : `<p>${escapeLines(body)}</p>\n`
  }<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>
<hr>
<p>${escapeHtml(footer)}${unsubscribeUrl === undefined ? '' : `<br>\n<a href="${escapeHtml(unsubscribeUrl)}">Unsubscribe</a>`}</p>
</body>
</html>
`
