import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { attribute, flag, html, textOf, withBreaks } from './html.ts'

/** The layout of the formatter. */
const indented = html`<p>
  <b>${'\n  x'}</b>
</p>`

test.each<[Parameters<typeof textOf>[0], string]>([
  ['<b> & "c" \'d\'', '&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;'],
  ['a\u0000b', 'a\ufffdb'],
  [html`<b>${'<i>'}</b>`, '<b>&lt;i&gt;</b>'],
  [[html`<b></b>`, '<', 1, null, false], '<b></b>&lt;1'],
  [html`<p>${html`<b>${'&'}</b>`}</p>`, '<p><b>&amp;</b></p>'],
  [html`${null}${false}${[]}`, ''],
  [indented, '<p>\n<b>\n  x</b>\n</p>'],
  [html`<input${flag('checked', true)}${flag('disabled', false)}>`, '<input checked>'],
  [html`<a${attribute('title', '"')}${attribute('rel', null)}>`, '<a title="&quot;">'],
  [withBreaks('a <\r\nb\rc\nd'), 'a &lt;<br>\nb<br>\nc<br>\nd'],
])('%j is written as %j', (piece, text) => {
  expect(textOf(piece)).toBe(text)
})

test('no text opens a tag, ends an attribute or begins an entity', () => {
  forAll([fc.string({ unit: 'binary' })], (text) => {
    const written = textOf(html`<p title="${text}">${text}</p>`)
    const inside = written.slice('<p title="'.length, -'</p>'.length)
    expect(inside.replace('">', '')).not.toMatch(/[<>"']/)
    expect(written.match(/&(?!(?:amp|lt|gt|quot|#39);)/)).toBeNull()
  })
})
