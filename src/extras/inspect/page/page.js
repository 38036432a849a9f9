import { open } from './detail.js'
import { byId } from './dom.js'
import { save } from './export.js'
import { follow } from './feed.js'
import { help } from './keys.js'
import { filterChanged, group, pause } from './list.js'
import { asked } from './proxy.js'

byId('filter').addEventListener('input', filterChanged)
byId('tools').addEventListener('submit', (event) => event.preventDefault())
byId('close').addEventListener('click', () => byId('dialog').close())
byId('clear').addEventListener('click', async () => {
  await asked('/clear', {})
  byId('detail').replaceChildren()
})

byId('group').addEventListener('click', group)
byId('pause').addEventListener('click', pause)
byId('save').addEventListener('click', save)
byId('help').addEventListener('click', help)

byId('list').addEventListener('click', ({ target }) => {
  const line = target.closest('tr[data-number]')
  if (line) void open(Number(line.dataset.number))
})

void follow()
