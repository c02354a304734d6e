// Makes the bookmark, which only this page knows the address for.
const share = JSON.stringify(`${location.origin}/share?url=`);
const code = `location.href=${share}+encodeURIComponent(location.href)+"&quote="+encodeURIComponent(String(getSelection()))`;
const link = document.querySelector("#bookmark");
link.href = `javascript:${encodeURIComponent(code)}`;
link.addEventListener("click", (event) => event.preventDefault());
