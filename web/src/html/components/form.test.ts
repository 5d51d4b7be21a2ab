import { expect, test } from 'vitest'
import {
  checkField,
  emptyForm,
  longTextField,
  problemSummary,
  radioField,
  selectField,
  textField,
} from './form.ts'
import type { FormState } from './form.ts'
import { textOf } from '@probe-mesh/runtime/html'
import { flat } from '../../testing/flat.ts'

const refused: FormState = {
  typed: { name: '<web>', scope: 'read', note: 'one\ntwo' },
  message: null,
  problems: [
    { path: 'name', message: 'must not be blank' },
    { path: 'regions[1]', message: 'is not live' },
    { path: 'regionsOf', message: 'unknown field' },
  ],
}
const choices = [
  { value: 'read', label: 'Read' },
  { value: 'read_write', label: 'Read and write' },
]

test('a field has its label, its hint, what was typed and what is wrong with it, each found from the other', () => {
  const text = flat(textField(refused, { name: 'name', label: 'Name', hint: 'Of the key', isRequired: true }))
  expect(text).toContain('<label for="field-name">Name</label>')
  expect(text).toContain('<p class="hint" id="field-name-hint">Of the key</p>')
  expect(text).toContain(
    '<input id="field-name" name="name" aria-describedby="field-name-hint field-name-problem" aria-invalid="true" type="text" value="&lt;web&gt;" required>',
  )
  expect(text).toContain('<p class="problem" id="field-name-problem">must not be blank</p>')
})

test('a field with nothing wrong says nothing of it', () => {
  const text = flat(textField(emptyForm, { name: 'name', label: 'Name', fallback: 'first' }))
  expect(text).toContain('<input id="field-name" name="name" type="text" value="first">')
  expect(text).not.toContain('problem')
})

test('a password that was typed is not sent back', () => {
  const form = { ...emptyForm, typed: { password: 'secret' } }
  const text = flat(textField(form, { name: 'password', label: 'Password', type: 'password' }))
  expect(text).not.toContain('secret')
})

test('the problem of a part belongs to the field of the whole, and of no field with a longer name', () => {
  const regions = flat(textField(refused, { name: 'regions', label: 'Regions' }))
  expect(regions).toContain('is not live')
  expect(regions).not.toContain('unknown field')
})

test('every problem is said before the fields, with a link where there is a field', () => {
  const text = flat(problemSummary(refused, ['name', 'regions']))
  expect(text).toContain('<div class="problems" role="alert">')
  expect(text).toContain(
    '<a href="#field-name"><span data-label-of="field-name">Name</span>: must not be blank</a>',
  )
  expect(text).toContain('<span data-label-of="field-regions">Regions</span>2: is not live</a>')
  expect(text).toContain('<li>Regions of: unknown field</li>')
  expect(problemSummary(emptyForm, ['name'])).toBeNull()
})

test('what was chosen stays chosen', () => {
  const select = flat(selectField(refused, { name: 'scope', label: 'Scope', choices }))
  expect(select).toContain('<option value="read" selected>Read</option>')
  expect(select).toContain('<option value="read_write">')
  const radio = flat(
    radioField(emptyForm, { name: 'scope', label: 'Scope', choices, fallback: 'read_write' }),
  )
  expect(radio).toContain('value="read_write" checked>')
  expect(radio).not.toContain('value="read" checked')
})

test('a box that was not ticked stays so, whatever it is at first', () => {
  const box = (form: FormState) => flat(checkField(form, { name: 'all', label: 'All', fallback: true }))
  expect(box(emptyForm)).toContain('checked')
  expect(box(refused)).not.toContain('checked')
  expect(box({ ...refused, typed: { all: 'on' } })).toContain('checked')
})

test('a box has its hint and its problems beside it', () => {
  const form = { ...refused, problems: [{ path: 'name', message: 'must <be>' }] }
  const box = flat(checkField(form, { name: 'name', label: 'All', hint: 'as they are' }))
  expect(box).toContain('aria-describedby="field-name-hint field-name-problem"')
  expect(box).toContain('aria-invalid="true"')
  expect(box).toContain('<p class="problem" id="field-name-problem">must &lt;be&gt;</p>')
  const other = flat(checkField(form, { name: 'all', label: 'All' }))
  expect(other).not.toMatch(/describedby|invalid|problem/)
})

test('a text of several lines begins where it was typed', () => {
  expect(textOf(longTextField(refused, { name: 'note', label: 'Note' }))).toContain('>\none\ntwo</textarea>')
})
