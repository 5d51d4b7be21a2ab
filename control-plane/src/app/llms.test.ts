import { expect, test } from 'vitest'
import { llmsText } from './llms.ts'

test('follows llms.txt: a title, a summary, sections of links', () => {
  const text = llmsText('https://mesh.example', 'https://mcp.mesh.example')
  const [title, , summary] = text.split('\n')
  expect(title).toBe('# Probe Mesh')
  expect(summary).toMatch(/^> /)
  expect(text.match(/^## .+$/gm)).toEqual([
    '## Pages as Markdown',
    '## Query',
    '## Status pages',
    '## Tools',
    '## Optional',
  ])
  expect(text).toContain('- https://mcp.mesh.example/public: ')
  for (const [, url] of text.matchAll(/\]\((\S+?)\)/g)) expect(url).toMatch(/^https:\/\/mesh\.example\//)
})

test("leaves tools out if the gateway's URL is unknown", () => {
  expect(llmsText('https://mesh.example', null)).not.toContain('## Tools')
})
