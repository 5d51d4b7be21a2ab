import { hash } from 'node:crypto'
import { escapeHtml } from '../markup/escape-html.ts'

/** The only style, inline: a page makes no request of its own. Its colours are those of the plain pages of `web`. */
const style = `
:root { color-scheme: light dark; --ground: #ffffff; --text: #1b1c1e; --muted: #55585e; --link: #0b4fc4 }
@media (prefers-color-scheme: dark) { :root { --ground: #15171a; --text: #ececee; --muted: #b3b6bc; --link: #8db7ff } }
* { box-sizing: border-box }
body { font: 1rem/1.55 system-ui, sans-serif; color: var(--text); background: var(--ground); margin: 0 }
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.625rem; line-height: 1.25; margin: 0 0 1rem }
h1, p { overflow-wrap: anywhere }
button { font: inherit; font-weight: 600; color: var(--ground); background: var(--link); border: 1px solid var(--link); border-radius: .375rem; padding: .5rem .75rem; min-height: 2.75rem; cursor: pointer }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
.brand { color: var(--muted); font-weight: 700; margin: 0 0 1.5rem }
@media print { form { display: none } }
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
<title>${escapeHtml(page.heading)} - Probe Mesh</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="brand">Probe Mesh</p>
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
