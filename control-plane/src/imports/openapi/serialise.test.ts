import { describe, expect, test } from 'vitest'
import { serialise, type Form } from './serialise.ts'

const list = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }
const written = (value: unknown, more: Partial<Form>) =>
  serialise(value, {
    name: 'color',
    place: 'query',
    style: null,
    explode: null,
    allowReserved: false,
    ...more,
  })

/** The table "Style Examples" of OpenAPI 3.1.1 (4.8.12.6), and RFC 6570 3.2 for what it takes from there. */
describe('writes a parameter as the table of the standard does', () => {
  test.each<[place: Form['place'], style: string, explode: boolean, value: unknown, text: string]>([
    ['path', 'matrix', false, '', ';color'],
    ['path', 'matrix', false, 'blue', ';color=blue'],
    ['path', 'matrix', false, list, ';color=blue,black,brown'],
    ['path', 'matrix', false, object, ';color=R,100,G,200,B,150'],
    ['path', 'matrix', true, '', ';color'],
    ['path', 'matrix', true, list, ';color=blue;color=black;color=brown'],
    ['path', 'matrix', true, object, ';R=100;G=200;B=150'],
    ['path', 'label', false, '', '.'],
    ['path', 'label', false, 'blue', '.blue'],
    ['path', 'label', false, list, '.blue,black,brown'],
    ['path', 'label', false, object, '.R,100,G,200,B,150'],
    ['path', 'label', true, list, '.blue.black.brown'],
    ['path', 'label', true, object, '.R=100.G=200.B=150'],
    ['path', 'simple', false, 'blue', 'blue'],
    ['path', 'simple', false, list, 'blue,black,brown'],
    ['path', 'simple', false, object, 'R,100,G,200,B,150'],
    ['path', 'simple', true, list, 'blue,black,brown'],
    ['path', 'simple', true, object, 'R=100,G=200,B=150'],
    ['header', 'simple', false, object, 'R,100,G,200,B,150'],
    ['header', 'simple', true, object, 'R=100,G=200,B=150'],
    ['query', 'form', false, '', 'color='],
    ['query', 'form', false, 'blue', 'color=blue'],
    ['query', 'form', false, list, 'color=blue,black,brown'],
    ['query', 'form', false, object, 'color=R,100,G,200,B,150'],
    ['query', 'form', true, list, 'color=blue&color=black&color=brown'],
    ['query', 'form', true, object, 'R=100&G=200&B=150'],
    ['query', 'spaceDelimited', false, list, 'color=blue%20black%20brown'],
    ['query', 'spaceDelimited', false, object, 'color=R%20100%20G%20200%20B%20150'],
    ['query', 'pipeDelimited', false, list, 'color=blue%7Cblack%7Cbrown'],
    ['query', 'pipeDelimited', false, object, 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['query', 'deepObject', true, object, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['cookie', 'form', false, 'blue', 'color=blue'],
    ['cookie', 'form', false, list, 'color=blue,black,brown'],
  ])('%s, %s, explode %s: %j', (place, style, explode, value, text) => {
    expect(written(value, { place, style, explode })).toEqual({ text })
  })

  test.each<[Form['place'], unknown, string]>([
    ['path', list, 'blue,black,brown'],
    ['query', list, 'color=blue&color=black&color=brown'],
    ['header', list, 'blue,black,brown'],
    ['cookie', 'blue', 'color=blue'],
  ])('%s without a style has that of its place', (place, value, text) => {
    expect(written(value, { place })).toEqual({ text })
  })
})

describe('encodes all but unreserved characters', () => {
  test.each<[Partial<Form>, unknown, string]>([
    [{ place: 'path' }, "a/b?c#d e!'()*~", 'a%2Fb%3Fc%23d%20e%21%27%28%29%2A~'],
    [{}, 'a b+c&d=é', 'color=a%20b%2Bc%26d%3D%C3%A9'],
    [{ name: 'filter[a]' }, 1, 'filter%5Ba%5D=1'],
    [{ allowReserved: true }, 'a/b?c=d,%20 e', 'color=a/b?c=d,%20%20e'],
    [{ allowReserved: true }, '#100%', 'color=%23100%25'],
    [{ allowReserved: true, style: 'form', explode: false }, ['a/b', 'c:d'], 'color=a/b,c:d'],
    [{ place: 'path', allowReserved: true }, 'a/b', 'a%2Fb'],
    [{ place: 'header' }, 'a b/c', 'a b/c'],
    [{}, true, 'color=true'],
    [{}, 1.5, 'color=1.5'],
    [{}, ['\u{d800}'], 'color=%EF%BF%BD'],
  ])('%j %j', (form, value, text) => {
    expect(written(value, form)).toEqual({ text })
  })
})

test.each<[Partial<Form>, unknown, string]>([
  [{ place: 'path', style: 'form' }, 'a', 'the style form, which a path has not'],
  [{ place: 'query', style: 'simple' }, 'a', 'the style simple, which a query has not'],
  [{ place: 'header', style: 'form' }, 'a', 'the style form, which a header has not'],
  [{ style: 'collectionFormat tsv' }, list, 'the style collectionFormat tsv'],
  [
    { style: 'spaceDelimited', explode: true },
    list,
    'the style spaceDelimited with a single value, or with explode',
  ],
  [{ style: 'pipeDelimited' }, 'a', 'the style pipeDelimited with a single value'],
  [{ style: 'deepObject' }, list, 'the style deepObject with a value that is no object'],
  [{ style: 'deepObject' }, { a: { b: 1 } }, 'lists or objects themselves'],
  [{ style: 'deepObject', explode: false }, object, 'without explode'],
  [{}, [['a']], 'lists or objects themselves'],
  [{}, [], 'an example without a value'],
  [{}, {}, 'an example without a value'],
  [{}, null, 'an example that is null'],
  [{ place: 'cookie', explode: true }, list, 'several values with explode'],
])('names what the standard does not define: %j %j', (form, value, why) => {
  expect(written(value, form)).toEqual({ why: expect.stringContaining(why) })
})
