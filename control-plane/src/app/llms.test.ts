import { expect, test } from 'vitest'
import { llmsText } from './llms.ts'

test('it is Markdown as llms.txt wants it: a title, a summary, sections of links', () => {
  const text = llmsText('https://mesh.example', 'https://mcp.mesh.example')
  const [title, , summary] = text.split('\n')
  expect(title).toBe('# Probe Mesh')
  expect(summary).toMatch(/^> /)
  expect(text.match(/^## .+$/gm)).toEqual([
    '## Pages as Markdown',
    '## Ask',
    '## Status pages',
    '## Tools',
    '## Optional',
  ])
  expect(text).toContain('- https://mcp.mesh.example/public: ')
  for (const [, url] of text.matchAll(/\]\((\S+?)\)/g))
    expect(url).toMatch(/^https:\/\/mesh\.example\//)
})

test('tools are left out where nobody said where they are', () => {
  expect(llmsText('https://mesh.example', null)).not.toContain('## Tools')
})
