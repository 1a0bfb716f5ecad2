// The server of a shop: asks the back end for articles and makes a page of them.
import { createServer } from 'node:http';

const until = ms => { const end = performance.now() + ms; let x = 1; while (performance.now() < end) for (let i = 0; i < 2000; i++) x = (x * 31 + i) % 1000003; return x; };
function groupArticles(articles) {
  const groups = new Map();
  for (const a of articles) (groups.get(a.price % 12) ?? groups.set(a.price % 12, []).get(a.price % 12)).push(a);
  until(25);
  return groups;
}
function renderRow(article) { return `<li data-price="${article.price}">article ${article.id}: ${(article.price / 100).toFixed(2)}</li>`; }
function renderPage(articles) {
  let html = '';
  for (const [name, group] of groupArticles(articles)) html += `<ul title="${name}">${group.map(renderRow).join('')}</ul>`;
  until(45);
  return `<!doctype html><title>shop</title>${html}<script src="/page.js"></script>`;
}
async function answer(request, response) {
  if (request.url === '/page.js') return response.writeHead(200, { 'content-type': 'text/javascript' }).end(pageScript);
  if (request.url !== '/') return response.writeHead(404).end();
  const articles = await (await fetch('http://127.0.0.1:8402/stock.php')).json();
  response.writeHead(200, { 'content-type': 'text/html' }).end(renderPage(articles));
}
const pageScript = `
function sumPrices(rows) { let sum = 0; for (let round = 0; round < 60; round++) for (const row of rows) sum += Number(row.dataset.price); return sum; }
function hydrateRow(row) { row.textContent = row.textContent.split('').reverse().reverse().join(''); row.onclick = () => row.remove(); }
function hydrateList() { const rows = [...document.querySelectorAll('li')]; rows.forEach(hydrateRow); return rows; }
function startPage() { const end = performance.now() + 140; let n = 0; while (performance.now() < end) n += sumPrices(hydrateList()); document.title = 'shop ' + n; }
startPage();
`;
const server = createServer(answer).listen(8401, '127.0.0.1');
process.on('SIGTERM', () => { server.close(); process.exit(0); });
