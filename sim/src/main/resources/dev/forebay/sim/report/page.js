// Says the values under the pointer. Everything is there without it.
'use strict';
for (const figure of document.querySelectorAll('figure.chart')) {
  const plot = figure.querySelector('.plot > svg');
  const out = figure.querySelector('.readout');
  const span = Number(figure.dataset.seconds);
  const width = 10000;
  const names = Array.from(figure.querySelectorAll('.legend [data-line]'), item => item.textContent);
  const digits = new Intl.NumberFormat('en', { maximumSignificantDigits: 5 });
  const points = text => {
    const numbers = text.trim().split(/\s+/).map(Number);
    const all = [];
    for (let i = 0; i < numbers.length; i += 2) all.push([numbers[i], numbers[i + 1]]);
    return all;
  };
  // A line: its nearer point. An area: its upper edge less its lower one, which comes back the other way.
  const at = (path, x) => {
    const area = path.classList.contains('area');
    for (const text of path.getAttribute('d').replaceAll('Z', '').split('M').slice(1)) {
      const all = points(text);
      const count = area ? all.length / 2 : all.length;
      if (x < all[0][0] - 20 || x > all[count - 1][0] + 20) continue;
      let next = 0;
      while (next < count - 1 && all[next][0] < x) next++;
      const best = next > 0 && x - all[next - 1][0] < all[next][0] - x ? next - 1 : next;
      return all[best][1] - (area ? all[all.length - 1 - best][1] : 0);
    }
    return area ? 0 : NaN;
  };
  const time = seconds => {
    const hours = Math.floor(seconds / 3600);
    const minutes = Math.floor(seconds / 60) % 60;
    const rest = span < 60 ? (seconds % 60).toFixed(2) : String(Math.floor(seconds % 60));
    return (hours ? hours + 'h' : '') + (hours || minutes ? minutes + 'm' : '') + rest + 's';
  };
  const cursor = document.createElementNS('http://www.w3.org/2000/svg', 'line');
  cursor.setAttribute('class', 'cursor');
  cursor.setAttribute('y2', '100%');
  const show = event => {
    const box = plot.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    cursor.setAttribute('x1', share * 100 + '%');
    cursor.setAttribute('x2', share * 100 + '%');
    plot.append(cursor);
    const said = Array.from(plot.querySelectorAll('[data-line]'), path => [Number(path.dataset.line), at(path, share * width)])
      .filter(([, value]) => !Number.isNaN(value))
      .sort((one, other) => one[0] - other[0])
      .map(([line, value]) => names[line] + ' ' + digits.format(value));
    out.textContent = time(share * span) + ' · ' + (said.join(' · ') || 'nothing');
  };
  figure.classList.add('live');
  out.textContent = 'Point at the chart for its values';
  plot.parentNode.addEventListener('pointermove', show);
  plot.parentNode.addEventListener('pointerdown', show);
  plot.parentNode.addEventListener('pointerleave', () => cursor.remove());
}
