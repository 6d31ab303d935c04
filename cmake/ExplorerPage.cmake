# The page of `export --format html`: its files become strings of hyalite_workbench. The scripts run in this order.
set(page ${PROJECT_SOURCE_DIR}/src/workbench/export/page)
set(scripts base.js layout.js graph.js passes.js memory.js tables.js)
set(page_files ${page}/page.html ${page}/page.css)
foreach(script IN LISTS scripts)
  list(APPEND page_files ${page}/${script})
endforeach()
string(REPLACE ";" "," scripts "${scripts}")
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/page_files.cpp
  COMMAND ${CMAKE_COMMAND} -DPAGE=${page} -DSCRIPTS=${scripts} -DOUT=${PROJECT_BINARY_DIR}/page_files.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  DEPENDS ${page_files} ${PROJECT_SOURCE_DIR}/cmake/EmbedPage.cmake
  VERBATIM)
target_sources(hyalite_workbench PRIVATE ${PROJECT_BINARY_DIR}/page_files.cpp)
