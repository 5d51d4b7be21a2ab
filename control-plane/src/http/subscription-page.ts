import { hash } from 'node:crypto'
import { escapeHtml } from '../markup/escape-html.ts'

/** The only style, inline: a page makes no request of its own. */
const style = `
:root { color-scheme: light dark }
body { font: 1.0625rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.5rem }
button { font: inherit; padding: .75rem 1.25rem; min-height: 2.75rem }
`

export const subscriptionPagePolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`

/** A page of one heading, one sentence and at most one button, which posts its fields to `action`. */
export const subscriptionPage = (page: {
  heading: string
  text: string
  button?: { label: string; action: string; fields: Readonly<Record<string, string>> }
}): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.heading)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(page.heading)}</h1>
<p>${escapeHtml(page.text)}</p>
${page.button === undefined ? '' : form(page.button)}</main>
</body>
</html>
`

const form = (button: {
  label: string
  action: string
  fields: Readonly<Record<string, string>>
}): string => `<form method="post" action="${escapeHtml(button.action)}">
${Object.entries(button.fields)
  .map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">\n`,
  )
  .join('')}<button type="submit">${escapeHtml(button.label)}</button>
</form>
`
